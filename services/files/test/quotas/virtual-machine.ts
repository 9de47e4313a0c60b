import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, realpath, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's. */
interface Kernel {
  readonly file: string;
  readonly version: string;
}

const hostPrograms = ['qemu-system-x86_64', 'busybox', 'cpio', 'modprobe', 'mkfs.ext4', 'mkfs.xfs'];
const guestPrograms = ['xfs_io', 'setquota', 'repquota', 'setpriv', 'tar', 'dd', 'gzip', 'nice', 'sh', 'sync', 'rm'];
const modules = ['virtio_pci', 'virtio_blk', 'xfs', 'quota_v2'];
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Empty when ready. */
export async function missingForVirtualMachine(): Promise<string[]> {
  const missing: string[] = [];
  for (const name of [...hostPrograms, ...guestPrograms]) if ((await findProgram(name)) === null) missing.push(name);
  if ((await findKernel()) === null) missing.push('linux-image-cloud-amd64');
  return missing;
}

export interface VirtualMachineOptions {
  /** Empty. */
  readonly directory: string;
  /** A single-file ES module. */
  readonly program: string;
  readonly timeoutMs: number;
}

/**
 * As root on Debian's kernel in QEMU, with ext4 on /mnt/ext4 and XFS on /mnt/xfs, both with project quotas, without
 * network. Returns the console output.
 */
export async function runInVirtualMachine(options: VirtualMachineOptions): Promise<string> {
  const { directory, timeoutMs } = options;
  const kernel = await findKernel();
  if (!kernel) throw new Error('no kernel to run');
  const initrd = await makeInitrd(kernel, options);
  const [ext4, xfs] = [path.join(directory, 'ext4.img'), path.join(directory, 'xfs.img')];
  await writeFile(ext4, '');
  await truncate(ext4, 192 * 1024 * 1024);
  await run('mkfs.ext4', ['-q', '-F', '-O', 'project,quota', '-E', 'quotatype=prjquota', ext4], {
    env: { PATH: searchPath },
  });
  await writeFile(xfs, '');
  await truncate(xfs, 320 * 1024 * 1024);
  await run('mkfs.xfs', ['-q', xfs], { env: { PATH: searchPath } });
  const disks = [ext4, xfs].flatMap((file) => ['-drive', `file=${file},if=virtio,format=raw,cache=unsafe`]);
  // All of it is emulated: a second processor, guards against other guests and optimized code cost more than they save.
  const machine = ['-accel', 'tcg', '-cpu', 'max', '-smp', '1', '-m', '1024', '-nographic', '-no-reboot'];
  const append = 'console=ttyS0 quiet panic=-1 mitigations=off';
  const boot = ['-kernel', kernel.file, '-initrd', initrd, '-append', append];
  const child = spawn('qemu-system-x86_64', [...machine, ...boot, ...disks, '-nic', 'none'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  await once(child, 'close');
  return output.replaceAll('\r', '');
}

async function findProgram(name: string): Promise<string | null> {
  for (const directory of searchPath.split(':')) {
    try {
      return await realpath(path.join(directory, name));
    } catch {
      // not in this one
    }
  }
  return null;
}

async function findKernel(): Promise<Kernel | null> {
  const prefix = 'vmlinuz-';
  const names = (await readdir('/boot').catch((): string[] => [])).filter((name) => name.startsWith(prefix));
  const versions = await readdir('/lib/modules').catch((): string[] => []);
  for (const name of names.toSorted((a) => (a.includes('cloud') ? -1 : 1))) {
    const version = name.slice(prefix.length);
    if (versions.includes(version)) return { file: path.join('/boot', name), version };
  }
  return null;
}

async function makeInitrd(kernel: Kernel, { directory, program }: VirtualMachineOptions): Promise<string> {
  const root = path.join(directory, 'root');
  for (const name of ['bin', 'dev', 'proc', 'sys', 'tmp', 'etc', 'modules', 'usr/bin', 'mnt/ext4', 'mnt/xfs']) {
    await mkdir(path.join(root, name), { recursive: true });
  }
  await copyFile((await findProgram('busybox')) ?? '', path.join(root, 'bin/busybox'));
  for (const name of guestPrograms) await copyProgram(root, (await findProgram(name)) ?? '', name);
  await copyProgram(root, process.execPath, 'node');
  await copyFile(program, path.join(root, 'program.mjs'));
  await symlink('/proc/mounts', path.join(root, 'etc/mtab'));
  const loads: string[] = [];
  for (const [i, file] of (await listModules(kernel)).entries()) {
    const name = `${i}.ko`;
    if (file.endsWith('.xz')) {
      const { stdout } = await run('xz', ['-dc', file], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
      await writeFile(path.join(root, 'modules', name), stdout);
    } else {
      await copyFile(file, path.join(root, 'modules', name));
    }
    loads.push(`insmod /modules/${name}`);
  }
  const init = [
    '#!/bin/busybox sh',
    `export PATH=${searchPath} HOME=/tmp`,
    '/bin/busybox --install -s /bin',
    'mount -t proc proc /proc',
    'mount -t sysfs sys /sys',
    'mount -t devtmpfs dev /dev',
    ...loads,
    'mount -t ext4 -o prjquota /dev/vda /mnt/ext4',
    'mount -t xfs -o prjquota /dev/vdb /mnt/xfs',
    'node --no-opt --no-sparkplug --single-threaded /program.mjs',
    'poweroff -f',
  ];
  await writeFile(path.join(root, 'init'), `${init.join('\n')}\n`);
  await chmod(path.join(root, 'init'), 0o755);
  const archive = path.join(directory, 'initrd');
  await run('sh', ['-c', 'cd "$1" && find . | cpio --quiet -o -H newc -R 0:0 >"$2"', 'sh', root, archive]);
  return archive;
}

async function copyProgram(root: string, file: string, name: string): Promise<void> {
  await copyFile(file, path.join(root, 'usr/bin', name));
  const { stdout } = await run('ldd', [file]).catch(() => ({ stdout: '' }));
  for (const [library] of stdout.matchAll(/\/[^ \n]+/g)) {
    const target = path.join(root, library);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(library, target);
  }
}

/** In dependency order. */
async function listModules({ version }: Kernel): Promise<string[]> {
  const files = new Set<string>();
  for (const name of modules) {
    const args = ['-S', version, '--show-depends', name];
    const { stdout } = await run('modprobe', args, { env: { PATH: searchPath } });
    for (const [, file] of stdout.matchAll(/^insmod (\S+)/gm)) {
      // optional CPU optimizations
      if (file !== undefined && !file.includes('/arch/')) files.add(file);
    }
  }
  return [...files];
}
