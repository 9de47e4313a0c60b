import { AppError } from '@panel/kit/errors';
import type { UserServiceService } from '@panel/protos/identity';
import type { Client } from '@panel/rpc';
import type { Customer } from '../domain/profile.js';

export type CustomerDirectory = Pick<Client<typeof UserServiceService>, 'batchGetUsers'>;

const timeoutMs = 5_000;
/** Limit of identity per call. */
const maxIds = 100;

/** Omits deleted customers. */
export async function loadCustomers(
  { users }: { readonly users: CustomerDirectory },
  userIds: readonly string[],
): Promise<Map<string, Customer>> {
  const ids = [...new Set(userIds)];
  const found = [];
  for (let start = 0; start < ids.length; start += maxIds) {
    const chunk = ids.slice(start, start + maxIds);
    found.push(...(await users.batchGetUsers({ userIds: chunk }, { timeoutMs })).users);
  }
  return new Map(
    found.map(({ id, email, username, firstName, lastName, language }) => [
      id,
      { id, email, name: [firstName, lastName].filter(Boolean).join(' ') || username, language },
    ]),
  );
}

/** Throws USER_NOT_FOUND. */
export async function loadCustomer(deps: { readonly users: CustomerDirectory }, userId: string): Promise<Customer> {
  const customer = (await loadCustomers(deps, [userId])).get(userId);
  if (!customer) throw new AppError('not_found', 'USER_NOT_FOUND', 'there is no such user');
  return customer;
}
