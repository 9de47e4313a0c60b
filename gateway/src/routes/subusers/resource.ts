import { serverPermissions } from '@panel/protos/permissions';
import { PathRule, PathRule_Access, Subuser, Subuser_Status, SubuserRole } from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery, yesOrNo } from '../../declaration/list-query.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';

const permission = z.enum(serverPermissions, {
  error: ({ input }) => (typeof input === 'string' ? `is no permission of a server: ${input.slice(0, 64)}` : undefined),
});
const permissions = z
  .array(permission)
  .min(1)
  .max(serverPermissions.length)
  .refine((names) => new Set(names).size === names.length, 'must name each permission once')
  .meta({ examples: [['websocket.connect', 'control.console', 'file.read']] });

const path = z.string().min(1).max(200).describe('absolute; `/` is everything, `*` and `?` match within a name');

export const pathRule = resource(PathRule, 'PathRule', {
  path: is.plain('path', path).settable(path),
  access: is.word('access', PathRule_Access).settable(z.enum(['allow', 'read_only', 'deny'])),
});
const pathRules = z.array(pathRule.schema).max(20).describe('the last one that matches decides; without one: allow');

const roleId = z.string().min(1).max(64);
/** As it is read, too. */
const role = z.union([roleId, z.strictObject({ id: roleId, name: z.string().max(64).optional() })]);
type GivenRole = z.output<typeof role>;
const roleText =
  'id of a role: `viewer`, `operator`, `developer`, or one of the server; or the role as it was read, whose name does not count; instead of `permissions`';

export function roleIdOf(given: GivenRole | null | undefined): string | undefined {
  return typeof given === 'string' ? given : given?.id;
}
const expiresAt = z.iso.datetime({ offset: true }).nullable().describe('when the access ends by itself; null: never');

export const subuser = resource(Subuser, 'Subuser', {
  id: is.uuid('id'),
  user: is.group(
    resource(Subuser, '', {
      id: is.uuidOrNull('userId', 'null while invited'),
      email: is.text('email'),
      username: is.textOrNull('username', 'null while invited'),
    }),
  ),
  permissions: is.texts('permissions', 'of the subuser, or of the role'),
  role: is.partOrNull('role', resource(SubuserRole, '', { id: is.text('id'), name: is.text('name') })),
  path_rules: is.parts('pathRules', pathRule),
  inherited_path_rules: is.computed(
    z
      .array(z.array(pathRule.schema))
      .describe('of the subusers who granted the access; all lists have to allow a file'),
    ({ inheritedPathRules }: Subuser) => inheritedPathRules.map(({ rules }) => rules.map(pathRule.present)),
  ),
  status: is.word('status', Subuser_Status),
  invited_by: is.uuidOrNull('inviterId', 'user who gave the access; null: the panel'),
  expires_at: is.timeOrNull('expireTime'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

export const listSubusersQuery = listQuery('created_at', 'status').extend({
  status: subuser.schema.shape.status.optional().describe('only these'),
});

export const deleteSubuserQuery = z.object({
  with_invited: yesOrNo.optional().describe('also whom they have given access, and whom those have'),
});

interface Granting {
  readonly permissions?: readonly string[] | undefined;
  readonly role?: GivenRole | null | undefined;
}

const isGranted = ({ permissions: names, role: id }: Granting) =>
  (names === undefined) !== (id === undefined || id === null);
const isGrantedOnce = ({ permissions: names, role: id }: Granting) =>
  names === undefined || id === undefined || id === null;
const grantProblem = (field: string, message: string) => ({
  path: [field],
  message,
  params: { reason: 'conflicting' },
  when: always,
});
const byPermissions = grantProblem('permissions', 'is required without role, and cannot be given with it');
const byRole = grantProblem('role', 'is required without permissions, and cannot be given with them');

export const createSubuserBody = z
  .strictObject({
    email: z.string().min(3).max(254),
    permissions: permissions.optional().describe('instead of `role`'),
    role: role.nullish().describe(roleText),
    path_rules: pathRules.default([]),
    expires_at: expiresAt.default(null),
  })
  .refine(isGranted, byPermissions)
  .refine(isGranted, byRole);

export const updateSubuserBody = z
  .strictObject({
    permissions: permissions.describe('instead of `role`'),
    role: role.nullable().describe(roleText),
    path_rules: pathRules,
    expires_at: expiresAt,
  })
  .partial()
  .refine(isGrantedOnce, byPermissions)
  .refine(isGrantedOnce, byRole);

export const subuserRole = resource(SubuserRole, 'SubuserRole', {
  id: is.text('id', '`viewer`, `operator`, `developer`, or a UUID'),
  name: is.text('name'),
  permissions: is.texts('permissions'),
  built_in: is.flag('builtIn', 'every server has it, and it cannot be changed'),
});

export const createRoleBody = z.strictObject({ name: z.string().trim().min(1).max(64), permissions });
export const updateRoleBody = createRoleBody.partial();
