import { serverPermissions } from '@panel/protos/permissions';
import { z } from 'zod';
import { listQuery } from '../../declaration/list-query.js';
import { time } from '../../declaration/present.js';

export const pathAccesses = ['allow', 'read_only', 'deny'] as const;
export const subuserStatuses = ['active', 'invited'] as const;

const permission = z.enum(serverPermissions);
const permissions = z
  .array(permission)
  .min(1)
  .max(serverPermissions.length)
  .refine((names) => new Set(names).size === names.length, 'must name each permission once')
  .meta({ examples: [['websocket.connect', 'control.console', 'file.read']] });

const pathRule = z
  .strictObject({
    path: z.string().min(1).max(200).describe('absolute; `/` is everything, `*` and `?` match within a name'),
    access: z.enum(pathAccesses),
  })
  .meta({ id: 'PathRule' });
const pathRules = z.array(pathRule).max(20).describe('the last one that matches decides; without one: allow');

const role = z
  .string()
  .min(1)
  .max(64)
  .describe('id of a role: `viewer`, `operator`, `developer`, or one of the server; instead of `permissions`');
const expiresAt = z.iso.datetime({ offset: true }).nullable().describe('when the access ends by itself; null: never');

export const subuser = z
  .strictObject({
    id: z.uuid(),
    user: z.strictObject({
      id: z.uuid().nullable().describe('null while invited'),
      email: z.string(),
      username: z.string().nullable().describe('null while invited'),
    }),
    permissions: z.array(z.string()).describe('of the subuser, or of the role'),
    role: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
    path_rules: z.array(pathRule),
    inherited_path_rules: z
      .array(z.array(pathRule))
      .describe('of the subusers who granted the access; all lists have to allow a file'),
    status: z.enum(subuserStatuses),
    expires_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Subuser' });

export const listSubusersQuery = listQuery('created_at', 'status').extend({
  status: z.enum(subuserStatuses).optional().describe('only these'),
});

export const createSubuserBody = z.strictObject({
  email: z.string().min(3).max(254),
  permissions: permissions.optional().describe('instead of `role`'),
  role: role.optional(),
  path_rules: pathRules.default([]),
  expires_at: expiresAt.default(null),
});

export const updateSubuserBody = z
  .strictObject({
    permissions: permissions.describe('instead of `role`'),
    role,
    path_rules: pathRules,
    expires_at: expiresAt,
  })
  .partial();

export const subuserRole = z
  .strictObject({
    id: z.string().describe('`viewer`, `operator`, `developer`, or a UUID'),
    name: z.string(),
    permissions: z.array(z.string()),
    built_in: z.boolean().describe('every server has it, and it cannot be changed'),
  })
  .meta({ id: 'SubuserRole' });

export const createRoleBody = z.strictObject({ name: z.string().trim().min(1).max(64), permissions });
export const updateRoleBody = createRoleBody.partial();
