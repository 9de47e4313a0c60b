import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';

/** 0: unlimited. */
interface ProjectLimit {
  readonly projectId: number;
  readonly bytes: number;
}

/** Returns stdout. Rejects on stderr output too. */
type RunProgram = (command: readonly string[], input: string) => Promise<string>;

/** Uses `setquota` (quota) and `xfs_io` (xfsprogs; also for ext4). */
export interface QuotaPrograms {
  setLimits(mountPoint: string, limits: readonly ProjectLimit[]): Promise<void>;
  /** At most some hundred handles; project 0: none. `inherits`: for a directory's new contents. Throws DISK_LIMIT. */
  setProject(
    handles: readonly FileHandle[],
    project: { readonly projectId: number; readonly inherits?: boolean },
  ): Promise<void>;
  projectsOf(handles: readonly FileHandle[]): Promise<number[]>;
}

const kibibyte = 1024;

export function createQuotaPrograms(run: RunProgram = runProgram): QuotaPrograms {
  // by descriptor: a game could replace a path by a link
  const pathsOf = (handles: readonly FileHandle[]) => handles.map(({ fd }) => `/proc/${process.pid}/fd/${fd}`);
  return {
    setLimits: async (mountPoint, limits) => {
      const lines = limits.map(({ projectId, bytes }) => `${projectId} 0 ${Math.ceil(bytes / kibibyte)} 0 0\n`);
      if (lines.length > 0) await run(['setquota', '-P', '-b', mountPoint], lines.join(''));
    },
    setProject: async (handles, { projectId, inherits }) => {
      if (handles.length === 0) return;
      const flags = inherits === undefined ? [] : ['-c', `chattr ${inherits ? '+' : '-'}P`];
      await run(['xfs_io', '-r', '-c', `chproj ${projectId}`, ...flags, ...pathsOf(handles)], '');
    },
    projectsOf: async (handles) => {
      if (handles.length === 0) return [];
      const output = await run(['xfs_io', '-r', '-c', 'lsproj', ...pathsOf(handles)], '');
      return [...output.matchAll(/^projid = (\d+)$/gm)].map(([, id]) => Number(id));
    },
  };
}

const maxOutputBytes = 64 * 1024;

async function runProgram([program = '', ...args]: readonly string[], input: string): Promise<string> {
  const child = spawn(program, args, {
    cwd: '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  });
  let output = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(0, maxOutputBytes)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 500)));
  // an early exit closes its input
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0 && complaint === '') return output;
  if (/disk quota|no space left/i.test(complaint)) throw fail('DISK_LIMIT', "the server's disk limit is reached");
  throw new Error(`${program} has failed: ${complaint.trim() === '' ? `exit code ${code}` : complaint.trim()}`);
}
