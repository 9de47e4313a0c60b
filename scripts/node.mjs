// `node scripts/node.mjs PROGRAM [ARGUMENT ...]`: a script, or a program of node_modules (`mocha`), on a Node that is new
// enough: on this one, or else on Node 24, which is fetched once.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const oldest = [22, 19];
const replacement = 24;

const [, , name] = process.argv;
if (isSupported(process.versions.node)) {
  const program = locate(name);
  process.argv.splice(1, 2, program);
  await import(pathToFileURL(program).href);
} else {
  process.exitCode = await goOn();
}

/** A script by its path from the working directory, a program by its name. */
function locate(program) {
  if (/\.m?js$/.test(program)) return path.resolve(program);
  const manifest = createRequire(path.resolve('package.json')).resolve(`${program}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[program]);
}

function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** Runs the same command on the replacement, which is also the `node` of all that is started below. Resolves with its exit code. */
async function goOn() {
  await import('./stop-with-npm.mjs');
  const { run } = await import('./prepare.mjs');
  const { fetchNode } = await import('./fetch-node.mjs');
  process.stderr.write(
    `  Node ${process.versions.node} is older than ${oldest.join('.')}: going on with Node ${replacement}, fetched once into .cache/\n`,
  );
  let bin;
  try {
    bin = fetchNode(replacement);
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    return 1;
  }
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` };
  return run(path.join(bin, 'node'), process.argv.slice(1), { cwd: process.cwd(), env });
}

function describeFailure(error) {
  const said = String(error.stderr ?? '').trim() || error.message;
  return `${said}\n\nNode ${replacement} could not be fetched from the npm registry: see above. Install Node ${replacement} (https://nodejs.org) and try again.`;
}
