import { isAppError } from '@panel/kit/errors';
import type { AddressGuard } from '@panel/kit/net';
import { fail } from '../../reasons.js';

/** Resolves per connection; connect to the returned, checked address. Throws DATABASE_HOST_UNREACHABLE. */
export async function resolveHost(guard: Pick<AddressGuard, 'lookup'>, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    guard.lookup(host.replace(/^\[|\]$/g, ''), {}, (error, address) => {
      if (!error && typeof address === 'string' && address !== '') return resolve(address);
      const isForbidden = isAppError(error, 'ADDRESS_FORBIDDEN');
      const message = isForbidden ? 'is an address of a kind that is not allowed' : 'is a name that cannot be resolved';
      reject(fail('DATABASE_HOST_UNREACHABLE', message, { field: 'host', problem: message }, { cause: error }));
    });
  });
}

export function hostUnreachable(field: 'host' | 'username', problem: string, cause: unknown) {
  const metadata = { field, problem: problem.replace(/\s+/g, ' ').slice(0, 200) };
  return fail('DATABASE_HOST_UNREACHABLE', 'the database host cannot be used now', metadata, { cause });
}

export function hostRefused(problem: string, cause: unknown) {
  const metadata = { field: 'username', problem: problem.replace(/\s+/g, ' ').slice(0, 200) };
  return fail('DATABASE_HOST_REFUSED', 'the database host refused a statement', metadata, { cause });
}

/** `abandon` has to end `task`. */
export async function withTimeout<T>(timeoutMs: number, abandon: () => void, task: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      abandon();
      reject(hostUnreachable('host', `no answer within ${timeoutMs} ms`, undefined));
    }, timeoutMs);
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
    task.catch(() => undefined);
  }
}
