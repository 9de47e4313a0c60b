import type { SshKey } from '@panel/protos/identity';
import type { SshKeyRecord } from '../domain/ssh-key.js';

export function presentSshKey(key: SshKeyRecord): SshKey {
  return {
    id: key.id,
    name: key.name,
    algorithm: key.algorithm,
    fingerprint: key.fingerprint,
    publicKey: key.publicKey,
    lastUsedTime: key.lastUsedAt ?? undefined,
    createTime: key.createdAt,
  };
}
