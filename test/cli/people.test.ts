import { afterAll, expect, test } from "bun:test";
import { ADMIN, PASSWORD, startPlace } from "./command-line.ts";

const MASTER_KEY = "sk-master-key-of-this-place";
const place = await startPlace({ TURNPIKE_SIGNUP_CREDITS: "0", TURNPIKE_MASTER_KEY: MASTER_KEY });
afterAll(() => place.close());
const SLOW_MS = 60_000;

const login = (email: string, ...more: string[]) => ["login", "--email", email, "--password-stdin", ...more];

test(
  "profiles keep people apart, and a token goes to no other server than its own",
  async () => {
    const desk = place.person();
    await desk.signUp("eve@example.com");
    expect((await desk.run(login(ADMIN.email, "--profile", "root"), { stdin: ADMIN.password })).code).toBe(0);
    expect((await desk.run(["whoami", "-q"])).out).toBe("eve@example.com\n");
    expect((await desk.run(["whoami", "-q"], { env: { TURNPIKE_PROFILE: "root" } })).out).toBe(`${ADMIN.email}\n`);
    expect((await desk.run(["whoami", "-q"], { env: { TURNPIKE_URL: "" } })).out).toBe("eve@example.com\n");

    const seen: (string | null)[] = [];
    const other = Bun.serve({
      port: 0,
      fetch(request) {
        seen.push(request.headers.get("authorization"));
        return Response.json({});
      },
    });
    const url = `http://127.0.0.1:${other.port}`;
    expect((await desk.run(["whoami", "--url", url])).code).toBe(3);
    await desk.run(["models", "list", "--url", url]);
    expect(seen).toEqual([null]);
    await other.stop(true);

    expect((await desk.run(["logout"])).code).toBe(0);
    expect((await desk.run(["whoami", "--profile", "root"])).code).toBe(0);
  },
  SLOW_MS,
);

test(
  "the chosen organization stays chosen after signing in again",
  async () => {
    const fay = place.person();
    await fay.signUp("fay@example.com");
    const { id } = await fay.json<{ id: string }>(["orgs", "create", "Second"]);
    expect((await fay.run(["orgs", "use", "Second"])).code).toBe(0);
    const teamsOf = async () =>
      (await fay.json<{ data: { organizationId: string }[] }>(["teams", "list"])).data.map(
        (team) => team.organizationId,
      );
    expect(new Set(await teamsOf())).toEqual(new Set([id]));
    await fay.run(["logout"]);
    await fay.run(login("fay@example.com"), { stdin: PASSWORD });
    expect(new Set(await teamsOf())).toEqual(new Set([id]));
    expect((await fay.run(["orgs", "list"])).out).toMatch(/\tSecond\t.*\tyes\n/);
  },
  SLOW_MS,
);

test(
  "members come and go by e-mail",
  async () => {
    const [gil, hal] = [place.person(), place.person()];
    await gil.signUp("gil@example.com");
    await hal.signUp("hal@example.com");
    await gil.run(["teams", "create", "blue"]);
    const link = (await gil.run(["teams", "invite", "blue", "hal@example.com", "--role", "admin", "--quiet"])).out;
    expect((await gil.run(["teams", "show", "blue"])).out).toMatch(/Invited +hal@example\.com \(admin\)/);
    expect((await gil.run(["invitations", "list"])).out).toMatch(/\thal@example\.com\tblue\tadmin\t/);
    const again = await gil.run(["invitations", "resend", "hal@example.com"]);
    expect(again.err).toContain("Hand the link to hal@example.com");
    const [, fresh = ""] = /Link +(\S+)/.exec(again.out) ?? [];
    expect((await hal.run(["invitations", "accept", link.trim()])).code).toBe(5);
    const token = fresh.split("token=")[1] ?? "";
    expect((await gil.run(["invitations", "accept", token])).code).toBe(4);
    expect((await hal.run(["invitations", "accept", token])).err).toContain("turnpike orgs use ");
    expect((await gil.run(["teams", "show", "blue"])).out).toContain("hal@example.com (admin");
    expect((await gil.run(["teams", "remove-member", "blue", "hal@example.com", "--yes"])).code).toBe(0);
    expect((await gil.run(["teams", "add-member", "blue", "hal@example.com"])).err).toContain("is in the team now");
    expect((await gil.run(["teams", "remove-member", "blue", "hal@example.com", "--yes"])).code).toBe(0);
    await gil.run(["teams", "invite", "blue", "jo@example.com"]);
    expect((await gil.run(["invitations", "revoke", "jo@example.com"])).code).toBe(2);
    expect((await gil.run(["invitations", "revoke", "jo@example.com", "--yes"])).code).toBe(0);
    expect((await gil.run(["invitations", "revoke", "jo@example.com", "--yes"])).code).toBe(5);
    expect((await gil.run(["invitations", "accept", "http://x/?t=1"])).code).toBe(2);
    expect((await gil.run(["teams", "remove-member", "blue", "hal@example.com", "--yes"])).code).toBe(5);
    expect((await gil.run(["teams", "remove", "blue"])).code).toBe(2);
    expect((await gil.run(["teams", "remove", "blue", "--yes"])).err).toContain(
      "The team blue and its keys are removed.",
    );
    expect((await gil.run(["teams", "show", "blue"])).code).toBe(5);
  },
  SLOW_MS,
);

test(
  "administrators shut out, let in, promote and remove, and it is in the audit log",
  async () => {
    const [root, ida] = [place.person(), place.person()];
    await root.run(login(ADMIN.email), { stdin: ADMIN.password });
    await ida.signUp("ida@example.com");
    const users = (verb: string, ...more: string[]) => root.run(["admin", "users", verb, "ida@example.com", ...more]);
    expect((await users("show")).out).toMatch(/Status +active/);
    expect((await users("disable", "--yes")).code).toBe(0);
    expect((await ida.run(["whoami"])).code).toBe(3);
    expect((await users("enable")).code).toBe(0);
    await ida.run(login("ida@example.com"), { stdin: PASSWORD });
    expect((await ida.run(["admin", "audit"])).code).toBe(4);
    expect((await users("make-admin", "--yes")).code).toBe(0);
    await ida.run(login("ida@example.com"), { stdin: PASSWORD });
    expect((await ida.run(["admin", "users", "list", "--search", "ida", "--quiet"])).out).toMatch(/^\d+\n$/);
    expect((await users("remove", "--yes")).code).toBe(0);
    expect((await users("show")).code).toBe(5);
    expect((await root.run(["admin", "audit"])).out).toMatch(/user \d+\tuser\.\w+\tuser /);
    // People read names, beside the ids that they name somebody by.
    const table = (await root.run(["admin", "audit", "--output", "table", "--action", "user.sign_in"])).out;
    expect(table).toMatch(/Admin\w* \(user \d+\) +user\.sign_in +Admin\w* \(user \d+\) +127\.0\.0\.1/);
    const csv = (await root.run(["admin", "audit", "--output", "csv", "--action", "user.remove"])).out;
    expect(csv).toMatch(
      /^TIME,WHO,ACTION,TARGET,NAME,TARGET NAME,ADDRESS\r?\n[^,]+,user \d+,user\.remove,user \d+,Admin/,
    );
  },
  SLOW_MS,
);

test(
  "a user without sign-in is found by the chosen id, and signs in after getting an email",
  async () => {
    const headers = { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ user_id: "app-user-1" });
    expect((await fetch(`${place.url}/key/generate`, { method: "POST", headers, body })).status).toBe(200);
    const [root, newcomer] = [place.person(), place.person()];
    await root.run(login(ADMIN.email), { stdin: ADMIN.password });
    const users = (...more: string[]) => root.run(["admin", "users", ...more]);
    expect((await users("list", "--search", "app-user")).out).toMatch(/\t\(no sign-in\)\tapp-user-1\t.*\tapp-user-1\n/);
    expect((await users("reset-password", "app-user-1")).err).toContain("no sign-in");
    expect((await users("set-email", "app-user-1", "newcomer@example.com")).code).toBe(0);
    const link = (await users("reset-password", "app-user-1", "--quiet")).out.trim();
    expect((await newcomer.run(["password", "reset", link, "--password-stdin"], { stdin: PASSWORD })).code).toBe(0);
    expect((await newcomer.run(login("newcomer@example.com"), { stdin: PASSWORD })).code).toBe(0);
  },
  SLOW_MS,
);
