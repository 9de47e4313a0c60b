import { createRequire } from 'node:module';

interface Argon2 {
  readonly argon2id: 2;
  hash(password: string, options: object): Promise<string>;
  verify(stored: string, password: string): Promise<boolean>;
}

/** Identity's own library. */
const argon2 = createRequire(new URL('../../../services/identity/package.json', import.meta.url))('argon2') as Argon2;

/** As identity does. Input: a count; answers when done. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const stored = await argon2.hash('a long enough password', parameters);

async function verify(times: number): Promise<void> {
  for (let count = 0; count < times; count++) await argon2.verify(stored, 'a long enough password');
  process.send?.({ type: 'done' });
}

process.on('message', (times: number) => {
  verify(times).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.({ type: 'ready' });
