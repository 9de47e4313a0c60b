import { CreateUserRequest, UpdateUserRequest, type User } from '@panel/protos/identity';
import type { z } from 'zod';
import { isoTime, required, textOrNull } from '../../declaration/present.js';
import { presentUser } from '../account/present.js';
import type { adminUser, createUserBody, updateUserBody } from './schema.js';

export function presentAdminUser(message: User | undefined): z.input<typeof adminUser> {
  const found = required(message, 'user');
  return {
    ...presentUser(found),
    external_id: textOrNull(found.externalId),
    last_login_at: isoTime(found.lastLoginTime),
    servers_count: found.serversCount ?? null,
  };
}

export function createUserRequest(body: z.output<typeof createUserBody>): CreateUserRequest {
  return CreateUserRequest.create({
    email: body.email,
    username: body.username,
    password: body.password,
    firstName: body.first_name,
    lastName: body.last_name,
    language: body.language,
    roleId: body.role_id,
    externalId: body.external_id,
  });
}

export function updateUserRequest(userId: string, body: z.output<typeof updateUserBody>): UpdateUserRequest {
  return UpdateUserRequest.create({
    userId,
    email: body.email,
    username: body.username,
    password: body.password,
    firstName: body.first_name,
    lastName: body.last_name,
    language: body.language,
    roleId: body.role_id,
    externalId: body.external_id === null ? '' : body.external_id,
  });
}
