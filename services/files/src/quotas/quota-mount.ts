/** A line of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
interface Mount {
  /** major:minor. */
  readonly device: string;
  readonly mountPoint: string;
  readonly fileSystem: string;
  readonly superOptions: readonly string[];
}

/** A file system that holds limits by project. */
export interface QuotaMount {
  readonly fileSystem: string;
  /** As setquota(8) finds it: the first mount of the file system, which a bind mount need not be. */
  readonly mountPoint: string;
}

const fileSystems = ['ext4', 'xfs'];

/**
 * The file system that an absolute path without links lies on, or why it has no project quotas, as a clause. `mountinfo` is the content of
 * /proc/self/mountinfo.
 */
export function findQuotaMount(mountinfo: string, path: string): QuotaMount | string {
  const mounts = mountinfo.split('\n').flatMap(parseMount);
  const mount = mountOf(mounts, path);
  if (!mount) return `${path} is on no known mount`;
  const { device, fileSystem } = mount;
  if (!fileSystems.includes(fileSystem)) return `${path} is on ${fileSystem}, not on ext4 or XFS`;
  if (!mount.superOptions.includes('prjquota')) return `${mount.mountPoint} is mounted without prjquota`;
  const first = mounts.find((one) => one.device === device) ?? mount;
  return { fileSystem, mountPoint: first.mountPoint };
}

/** Of mounts on the same directory, the last one hides those before it. */
function mountOf(mounts: readonly Mount[], path: string): Mount | null {
  let found: Mount | null = null;
  for (const mount of mounts) {
    const { mountPoint } = mount;
    const isAbove = mountPoint === '/' || path === mountPoint || path.startsWith(`${mountPoint}/`);
    if (isAbove && mountPoint.length >= (found?.mountPoint.length ?? 0)) found = mount;
  }
  return found;
}

function parseMount(line: string): Mount[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , device, , mountPoint] = before.split(' ');
  const [fileSystem, , superOptions] = after.split(' ');
  if (device === undefined || mountPoint === undefined || fileSystem === undefined) return [];
  return [{ device, mountPoint: unescape(mountPoint), fileSystem, superOptions: (superOptions ?? '').split(',') }];
}

/** Spaces, tabs, line ends and backslashes are octal there. */
function unescape(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  const unescaped = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(unescaped, 'latin1').toString();
}
