import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPanelClient, type PanelClient } from '@panel/client';
import { type Stack, type StackOptions, startStack } from '@panel/stack';
import { noteOnFailure } from '@panel/testing';
import { removeContainersBelow } from '@panel/testing/engine';
import { unexpectedFailures } from './unexpected-failures.js';

/** An installation with an administrator and their client. */
export interface SharedStack {
  readonly stack: Stack;
  readonly admin: PanelClient;
  readonly adminId: string;
  readonly adminEmail: string;
  readonly password: string;
  /** The launcher's lines, for failure messages. */
  readonly lines: readonly string[];
}

/** An own installation in a temporary directory. Files that need none of their own use `sharedStack`. */
export interface TestStack extends SharedStack {
  stop(): Promise<void>;
}

export const adminPassword = 'correct horse battery';

/** Tests of limits override them. An answer unlike its declaration fails the test. */
const defaults = {
  RATE_LIMIT_GENERAL: '1000000',
  RATE_LIMIT_AUTH: '10000',
  RATE_LIMIT_CONSOLE: '10000',
  RATE_LIMIT_UPLOAD: '1000000',
  RATE_LIMIT_BACKUP: '10000',
  INVITATION_LIMIT: '10000',
  CHECK_RESPONSES: 'true',
  // No reserve file per installation.
  DATABASE_MIN_FREE_DISK_MB: '0',
};

export async function bootStack(
  env: Readonly<Record<string, string>> = {},
  options: Pick<StackOptions, 'gateways' | 'files' | 'overrides'> = {},
): Promise<TestStack> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'panel-e2e-'));
  // Under root, games run as another user.
  await chmod(dataDir, 0o711);
  const lines: string[] = [];
  const stack = await startStack({
    env: {
      PATH: process.env.PATH,
      MONGO_URL: undefined,
      ...defaults,
      PORT: '0',
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: adminPassword,
      RUNTIME: 'process',
      ...env,
    },
    log: (line: string) => void lines.push(line),
    ...options,
  });
  const roots = [dataDir, options.overrides?.['files']?.['DATA_ROOT'] ?? dataDir];
  const dropNote = noteOnFailure(() => unexpectedFailures(path.join(dataDir, 'logs')));
  const stop = async () => {
    dropNote();
    try {
      await stack.stop();
    } finally {
      for (const root of roots) await removeContainersBelow(root);
      await rm(dataDir, { recursive: true, force: true });
    }
  };
  try {
    const admin = createPanelClient({ baseUrl: stack.baseUrl });
    await admin.login(stack.adminEmail, adminPassword);
    const { data } = await admin.get('/account');
    return { stack, admin, adminId: data.id, adminEmail: data.email, password: adminPassword, lines, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
