/** See proc_pid_mountinfo(5). */
interface Mount {
  /** major:minor. */
  readonly device: string;
  readonly mountPoint: string;
  readonly fileSystem: string;
  readonly superOptions: readonly string[];
}

export interface QuotaMount {
  readonly fileSystem: string;
  /** The file system's first mount, as in setquota(8). */
  readonly mountPoint: string;
}

const fileSystems = ['ext4', 'xfs'];

/** Or why project quotas are missing, as a clause. `path` is absolute, without links. */
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

/** A later mount on a directory hides earlier ones. */
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

/** Spaces, tabs, line ends and backslashes are octal. */
function unescape(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  const unescaped = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(unescaped, 'latin1').toString();
}
