import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { OperatorError } from '@panel/programs';
import { readJson, writePrivateJson } from './private-file.js';

const schema = z.object({ service_secret: z.string().min(32), jwt_secret: z.string().min(32) });

export interface Secrets {
  readonly serviceSecret: string;
  readonly jwtSecret: string;
}

/** Generated at the first start into `file` (mode 0600). */
export function loadSecrets(file: string): Secrets {
  const retained = readJson(file);
  if (retained !== undefined) {
    const parsed = schema.safeParse(retained);
    if (!parsed.success)
      throw new OperatorError(
        `${file} is damaged: put it back from a backup, or remove it and start again, which makes new secrets: ` +
          'all sessions end, and what is encrypted with the old ones is lost (two-factor setups, engine keys of nodes, ' +
          'passwords of databases, backup and mail settings that hold secrets)',
      );
    return { serviceSecret: parsed.data.service_secret, jwtSecret: parsed.data.jwt_secret };
  }
  const secrets = { serviceSecret: random(), jwtSecret: random() };
  writePrivateJson(file, { service_secret: secrets.serviceSecret, jwt_secret: secrets.jwtSecret });
  return secrets;
}

function random(): string {
  return randomBytes(48).toString('base64url');
}
