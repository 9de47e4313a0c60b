import type { PageQuery } from '@panel/kit/mongo';
import type { IdentityContext } from '../../context.js';
import type { SshKeyRecord } from '../../domain/ssh-key.js';

export async function listSshKeys(
  { sshKeys }: IdentityContext,
  userId: string,
  page: PageQuery,
): Promise<{ readonly items: SshKeyRecord[]; readonly total: number }> {
  return sshKeys.list(userId, page);
}
