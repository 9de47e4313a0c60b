import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { AppError } from '@panel/kit/errors';
import { type PathRule, pathRulesSchema } from './path-rule.js';
import { type JwtRules, verifyJwt } from './verify-jwt.js';

/**
 * One kind of file access on one server, issued by the servers service for the files service of its node. Lets file
 * contents bypass the gateway.
 */
export interface FileGrant {
  readonly serverId: string;
  /** Whose servers share places for long work; absent: work of a service. */
  readonly ownerId?: string;
  /** A subuser permission, e.g. "file.read". */
  readonly permission: string;
  /** Relative to the node's data root, without a leading slash. */
  readonly volume: string;
  /** 0 means no limit. */
  readonly diskLimitBytes: number;
  /** Of a single write; 0 or absent means no limit. */
  readonly uploadLimitBytes?: number;
  /** gitignore patterns of protected files. */
  readonly denylist: readonly string[];
  /** All must allow a path; absent: only the denylist applies. */
  readonly pathRules?: readonly (readonly PathRule[])[];
}

/**
 * For database dumps during a backup or export, in a volume's root. Backups without databases exclude it, and its
 * deletion bypasses the trash.
 */
export const dumpDirectory = '.panel-databases';

/** Seconds, to begin a transfer. */
const grantTtlSeconds = 60;

const audience = 'panel-files';
const tokenType = 'grant';

const claimsSchema = z.object({
  typ: z.literal(tokenType),
  server_id: z.uuid(),
  owner_id: z.string().optional(),
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
  // An egg's denylist and the path rules of a subuser with all roles.
  maxLength: 1_048_576,
  schema: claimsSchema,
};

/** By the services' shared secret. */
export interface GrantSigner {
  /** Valid for `grantTtlSeconds`. */
  sign(grant: FileGrant): string;
  /** Throws UNAUTHENTICATED (GRANT_INVALID). */
  verify(token: string): FileGrant;
}

/** For SERVICE_SECRET. */
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
    ...(grant.ownerId === undefined ? {} : { owner_id: grant.ownerId }),
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
      ...(claims.owner_id === undefined ? {} : { ownerId: claims.owner_id }),
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
 * Read access to a server's whole volume for one transfer, issued by the servers service for the files service of its
 * node: a service identity alone gives no access to files.
 */
export interface ExportGrant {
  readonly serverId: string;
  readonly operationId: string;
  /** As in FileGrant. */
  readonly volume: string;
}

/** Seconds. Checked only when a stream begins; covers a target that waits for its earlier pull, and clock skew. */
const exportGrantTtlSeconds = 600;

/** Separate: export grants and other tokens are never interchangeable. */
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

/** By the services' shared secret. */
export interface ExportGrantSigner {
  /** Valid for `exportGrantTtlSeconds`. */
  sign(grant: ExportGrant): string;
  /** Throws UNAUTHENTICATED (GRANT_INVALID). */
  verify(token: string): ExportGrant;
}

/** For SERVICE_SECRET. */
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
