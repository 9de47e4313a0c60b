import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { AppError } from '@panel/kit/errors';
import { type PathRule, pathRulesSchema } from './path-rule.js';
import { type JwtRules, verifyJwt } from './verify-jwt.js';

/**
 * The right to one kind of file work on one server, made by the servers service and honoured by the files service of the
 * server's node. It travels through the gateway, so that file bytes need not.
 */
export interface FileGrant {
  readonly serverId: string;
  /** A subuser permission, e.g. "file.read". */
  readonly permission: string;
  /** The server's directory, relative to the data root of the node; no leading slash. */
  readonly volume: string;
  /** 0 means no limit. */
  readonly diskLimitBytes: number;
  /** How large a file may be that is written in one go; 0 or absent means no limit. */
  readonly uploadLimitBytes?: number;
  /** gitignore patterns of protected files. */
  readonly denylist: readonly string[];
  /** Lists of rules that all have to allow a path; absent: nothing but the denylist restricts the files. */
  readonly pathRules?: readonly (readonly PathRule[])[];
}

/**
 * The directory in the root of a volume where the dumps of databases lie while they are put into a backup or are taken out.
 * Backups that were not asked for databases leave it out, and deleting it bypasses the trash.
 */
export const dumpDirectory = '.panel-databases';

/** How long a grant is valid, in seconds: long enough to begin a transfer, too short to be worth keeping. */
const grantTtlSeconds = 60;

const audience = 'panel-files';
const tokenType = 'grant';

const claimsSchema = z.object({
  typ: z.literal(tokenType),
  server_id: z.uuid(),
  permission: z.string().min(1),
  volume: z.string().min(1),
  disk_limit_bytes: z.number().int().nonnegative(),
  upload_limit_bytes: z.number().int().nonnegative().default(0),
  denylist: z.array(z.string()),
  path_rules: pathRulesSchema.default([]),
});

const rules: JwtRules<z.output<typeof claimsSchema>> = {
  audience,
  maxLifetimeSeconds: grantTtlSeconds,
  // The denylist of an egg and the path rules of a subuser with all their roles.
  maxLength: 1_048_576,
  schema: claimsSchema,
};

/** Signs and verifies file grants with the secret the services share. */
export interface GrantSigner {
  /** A compact token, valid for `grantTtlSeconds`. */
  sign(grant: FileGrant): string;
  /** The grant of a token. Throws UNAUTHENTICATED (GRANT_INVALID): forged, expired, or another kind of token. */
  verify(token: string): FileGrant;
}

/** A signer over `secret` (SERVICE_SECRET). */
export function createGrantSigner(secret: string): GrantSigner {
  const key = createSecretKey(Buffer.from(secret));
  return {
    sign: (grant) => jwt.sign(claimsOf(grant), key, { algorithm: 'HS256', audience, expiresIn: grantTtlSeconds }),
    verify: (token) => verifyGrant(token, key),
  };
}

function claimsOf(grant: FileGrant): z.input<typeof claimsSchema> {
  return {
    typ: tokenType,
    server_id: grant.serverId,
    permission: grant.permission,
    volume: grant.volume,
    disk_limit_bytes: grant.diskLimitBytes,
    upload_limit_bytes: grant.uploadLimitBytes ?? 0,
    denylist: [...grant.denylist],
    path_rules: (grant.pathRules ?? []).map((rules) => rules.map(({ path, access }) => ({ path, access }))),
  };
}

function verifyGrant(token: string, key: KeyObject): FileGrant {
  try {
    const claims = verifyJwt(token, key, rules);
    return {
      serverId: claims.server_id,
      permission: claims.permission,
      volume: claims.volume,
      diskLimitBytes: claims.disk_limit_bytes,
      uploadLimitBytes: claims.upload_limit_bytes,
      denylist: claims.denylist,
      pathRules: claims.path_rules,
    };
  } catch (error) {
    const message = 'the file grant is missing, forged or expired';
    throw new AppError('unauthenticated', 'GRANT_INVALID', message, {}, { cause: error });
  }
}

/**
 * The right to read one server's whole volume for one transfer, made by the servers service for each pull and honoured by
 * the files service of the server's node: being a service of ours is no right to a server's files.
 */
export interface ExportGrant {
  readonly serverId: string;
  /** The transfer it is for. */
  readonly operationId: string;
  /** As in FileGrant. */
  readonly volume: string;
}

/**
 * How long an export grant is valid, in seconds. It is looked at when a stream begins, however long that takes then; the
 * minutes are for a target that has to wait for its own earlier pull to end, and for clocks that differ.
 */
const exportGrantTtlSeconds = 600;

/** An audience of its own: no file grant, actor or person's token is ever taken for an export grant, nor the reverse. */
const exportAudience = 'panel-export';
const exportTokenType = 'export';

const exportClaimsSchema = z.object({
  typ: z.literal(exportTokenType),
  server_id: z.uuid(),
  operation_id: z.uuid(),
  volume: z.string().min(1),
});

const exportRules: JwtRules<z.output<typeof exportClaimsSchema>> = {
  audience: exportAudience,
  maxLifetimeSeconds: exportGrantTtlSeconds,
  maxLength: 2048,
  schema: exportClaimsSchema,
};

/** Signs and verifies export grants with the secret the services share. */
export interface ExportGrantSigner {
  /** A compact token, valid for `exportGrantTtlSeconds`. */
  sign(grant: ExportGrant): string;
  /** The grant of a token. Throws UNAUTHENTICATED (GRANT_INVALID): forged, expired, or another kind of token. */
  verify(token: string): ExportGrant;
}

/** A signer over `secret` (SERVICE_SECRET). */
export function createExportGrantSigner(secret: string): ExportGrantSigner {
  const key = createSecretKey(Buffer.from(secret));
  return {
    sign: ({ serverId, operationId, volume }) => {
      const claims = { typ: exportTokenType, server_id: serverId, operation_id: operationId, volume };
      return jwt.sign(claims, key, {
        algorithm: 'HS256',
        audience: exportAudience,
        expiresIn: exportGrantTtlSeconds,
      });
    },
    verify: (token) => verifyExportGrant(token, key),
  };
}

function verifyExportGrant(token: string, key: KeyObject): ExportGrant {
  try {
    const claims = verifyJwt(token, key, exportRules);
    return { serverId: claims.server_id, operationId: claims.operation_id, volume: claims.volume };
  } catch (error) {
    const message = 'the export grant is missing, forged or expired';
    throw new AppError('unauthenticated', 'GRANT_INVALID', message, {}, { cause: error });
  }
}
