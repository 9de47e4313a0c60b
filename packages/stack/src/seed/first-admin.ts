import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Client } from '@panel/rpc';
import type { UserServiceService } from '@panel/protos/identity';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../launch/private-file.js';

const schema = z.object({ email: z.string(), password: z.string() });

export interface FirstAdmin {
  /** Of the administrator there is; on a second start perhaps not the configured one. */
  readonly email: string;
  /** Only when this start has made it and generated the password; it is nowhere else to be had. */
  readonly password?: string;
  readonly created: boolean;
}

interface FirstAdminOptions {
  readonly users: Pick<Client<typeof UserServiceService>, 'ensureFirstAdmin'>;
  readonly email: string;
  readonly password: string | undefined;
  /** Holds a generated password until it has been handed out, so that a crash in between does not lose it. */
  readonly pendingFile: string;
}

/** Makes the first administrator unless there is one. */
export async function ensureFirstAdmin(options: FirstAdminOptions): Promise<FirstAdmin> {
  const { users, email, password, pendingFile } = options;
  if (password !== undefined) {
    const { created, user } = await users.ensureFirstAdmin({ email, username: 'admin', password });
    return { email: user?.email ?? email, created };
  }
  const pending = schema.safeParse(readJson(pendingFile));
  const wanted = pending.success ? pending.data : { email, password: randomBytes(15).toString('base64url') };
  writePrivateJson(pendingFile, wanted);
  const { created, user } = await users.ensureFirstAdmin({ ...wanted, username: 'admin' });
  rmSync(pendingFile, { force: true });
  // An admin that is there although a password was pending was made by a start that died before it showed it.
  const isOurs = created || (pending.success && user?.email === wanted.email);
  return { email: user?.email ?? email, created, ...(isOurs ? { password: wanted.password } : {}) };
}
