import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** A mistake in the options or a step that failed; the message says what to do. */
export class DemoError extends Error {}

export interface DemoConfig {
  readonly baseUrl: string;
  readonly email: string;
  /** Absent: ask on the terminal. */
  readonly password: string | undefined;
  readonly eggFile: string;
  /** Sent to the game's console. */
  readonly command: string;
  /** Text that the answer contains; when empty, the next line is the answer. */
  readonly expect: string;
  readonly memoryMb: number;
}

export const usage = `npm run demo [-- [EGG.json] [--command LINE] [--expect TEXT] [--memory MB] [--url URL] [--email ADDRESS]]

Uses a running panel through its public API. Finds it by DATA_DIR/stack.json (DATA_DIR is .data unless set) or --url.
The password comes from ADMIN_PASSWORD, or is asked for.`;

/** Options of the command line, the environment and DATA_DIR/stack.json, in this order. Throws DemoError. */
export function readConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): DemoConfig {
  const { values, positionals } = parseCommandLine(args);
  const ownEgg = resolve(import.meta.dirname, '../../../packages/stack/eggs/lantern-caverns.json');
  const eggFile = positionals[0] === undefined ? ownEgg : resolve(positionals[0]);
  if (!existsSync(eggFile)) throw new DemoError(`there is no egg file at ${eggFile}`);
  const stack = values.url === undefined ? readStack(resolve(env.DATA_DIR ?? '.data')) : undefined;
  const isOwnEgg = eggFile === ownEgg;
  return {
    baseUrl: values.url ?? stack?.base_url ?? '',
    email: values.email ?? env.ADMIN_EMAIL ?? stack?.admin_email ?? 'admin@localhost.localdomain',
    password: env.ADMIN_PASSWORD,
    eggFile,
    command: values.command ?? 'help',
    expect: values.expect ?? '',
    memoryMb: Number(values.memory ?? (isOwnEgg ? 128 : 1024)),
  };
}

function parseCommandLine(args: readonly string[]) {
  const string = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { url: string, email: string, command: string, expect: string, memory: string },
    });
  } catch (error) {
    throw new DemoError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

function readStack(dataDir: string): { base_url: string; admin_email: string } {
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file))
    throw new DemoError(`no panel is running here (${file} is missing): run npm start first, or give --url`);
  return JSON.parse(readFileSync(file, 'utf8')) as { base_url: string; admin_email: string };
}
