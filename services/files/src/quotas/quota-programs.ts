import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';

/** The limit of a project; 0: none. */
interface ProjectLimit {
  readonly projectId: number;
  readonly bytes: number;
}

/** Run a program with this input and return what it prints. Rejects when it fails or complains. */
type RunProgram = (command: readonly string[], input: string) => Promise<string>;

/** What is done with the two programs of the distribution: `setquota` (quota) and `xfs_io` (xfsprogs, for ext4 too). */
export interface QuotaPrograms {
  /** Limit what projects take on the file system of a mount point. */
  setLimits(mountPoint: string, limits: readonly ProjectLimit[]): Promise<void>;
  /**
   * Count open files and directories, at most some hundred, for a project; 0: for none. What is made in directories with
   * `inherits` is counted for the same one. Throws DISK_LIMIT.
   */
  setProject(
    handles: readonly FileHandle[],
    project: { readonly projectId: number; readonly inherits?: boolean },
  ): Promise<void>;
  /** The projects of open files and directories. */
  projectsOf(handles: readonly FileHandle[]): Promise<number[]>;
}

const kibibyte = 1024;

export function createQuotaPrograms(run: RunProgram = runProgram): QuotaPrograms {
  // By the number of an open file: by its path, a game could put a link in its place meanwhile.
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
  // one that exits early closes its input; its exit code tells why
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0 && complaint === '') return output;
  if (/disk quota|no space left/i.test(complaint)) throw fail('DISK_LIMIT', "the server's disk limit is reached");
  throw new Error(`${program} has failed: ${complaint.trim() === '' ? `exit code ${code}` : complaint.trim()}`);
}
