import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * What a person types to call this program where they are: `turnpike` where that is this very program (installed, or
 * linked with `npm link`), npm's script inside of a clone, and the file itself anywhere else.
 */
export function commandName({ root, env = process.env, cwd = process.cwd() }) {
  const file = join(root, "bin", "turnpike.mjs");
  if (isOnPath(file, env.PATH ?? "")) return "turnpike";
  // npm changes into the package's folder, and tells where it was called.
  return isInside(root, env.INIT_CWD ?? cwd) ? "npm run -s turnpike --" : `node ${quoted(file)}`;
}

function isOnPath(file, path) {
  const wanted = realPath(file);
  return wanted !== null && path.split(delimiter).some((folder) => realPath(join(folder, "turnpike")) === wanted);
}

/** npm's scripts are those of the nearest package: inside of the clone there are others. */
function isInside(root, folder) {
  const at = realPath(folder);
  if (at === null) return false;
  if (at === realPath(root)) return true;
  const isPackage = existsSync(join(at, "package.json"));
  return !isPackage && at !== dirname(at) && isInside(root, dirname(at));
}

function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

const quoted = (path) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
