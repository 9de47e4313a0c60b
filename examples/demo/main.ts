import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ApiError } from '@panel/client';
import { DemoError, readConfig, usage } from './config.js';
import { runDemo } from './run-demo.js';

const print = (line: string) => process.stdout.write(`${line}\n`);

if (process.argv.includes('--help')) {
  print(usage);
  process.exit(0);
}

try {
  const config = readConfig(process.argv.slice(2));
  await runDemo(config, config.password ?? (await askPassword(config.email)), print);
  print('\nAll of it worked.');
} catch (error) {
  if (error instanceof DemoError || error instanceof ApiError) process.stderr.write(`demo: ${error.message}\n`);
  else process.stderr.write(`demo: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

async function askPassword(email: string): Promise<string> {
  if (!process.stdin.isTTY) throw new DemoError('set ADMIN_PASSWORD, or run the demo on a terminal to be asked for it');
  process.stdout.write(`Password of ${email}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true });
  const password = await new Promise<string>((resolve) => prompt.question('', resolve));
  prompt.close();
  process.stdout.write('\n');
  return password;
}
