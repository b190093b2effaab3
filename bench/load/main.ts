// The load generator, a process of its own: reads an order (JSON) on its standard input, prints what happened (JSON).

import { type DriveOrder, drive } from "./drive.ts";

const order = (await new Response(Bun.stdin.stream()).json()) as DriveOrder;
console.log(JSON.stringify(await drive(order)));
process.exit(0);
