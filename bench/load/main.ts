// The load generator, a separate process. It reads an order (JSON) from its standard input and prints counts (JSON).

import { type DriveOrder, drive } from "./drive.ts";

const order = (await new Response(Bun.stdin.stream()).json()) as DriveOrder;
console.log(JSON.stringify(await drive(order)));
process.exit(0);
