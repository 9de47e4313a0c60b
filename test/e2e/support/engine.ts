import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';

const run = promisify(execFile);
export const docker = new Docker();

async function hasEngine(): Promise<boolean> {
  return docker.ping().then(
    () => true,
    () => false,
  );
}

/** In a `before` hook: pending without an engine, in CI it fails. */
export async function needEngine(context: Mocha.Context): Promise<void> {
  if (await hasEngine()) return;
  if (process.env.CI) throw new Error('CI needs a container engine');
  context.skip();
}

async function hasImage(name: string): Promise<boolean> {
  return docker
    .getImage(name)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

async function importDirectory(directory: string, name: string, excludes: readonly string[] = []): Promise<void> {
  const options = excludes.map((pattern) => `--exclude=${pattern}`);
  const tar = spawn('tar', ['-C', directory, ...options, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [repo, tag] = name.split(':');
  const answer = await docker.importImage(tar.stdout, { repo, tag });
  await new Promise((resolve, reject) => {
    docker.modem.followProgress(answer, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** The demo game's image, from Debian's static busybox without a registry. */
export async function ensureBusybox(name = 'busybox:stable'): Promise<void> {
  if (await hasImage(name)) return;
  const root = await mkdtemp(path.join(tmpdir(), 'panel-busybox-'));
  await mkdir(path.join(root, 'bin'));
  await mkdir(path.join(root, 'tmp'));
  await copyFile('/bin/busybox', path.join(root, 'bin/busybox'));
  const { stdout } = await run('/bin/busybox', ['--list']);
  for (const applet of stdout.split('\n').filter((word) => word !== '' && word !== 'busybox')) {
    await symlink('busybox', path.join(root, 'bin', applet));
  }
  await importDirectory(root, name);
  await rm(root, { recursive: true });
}

export const openttdImage = 'panel-test/openttd:1';

/** By debootstrap: a minute at first, then cached by the engine. Needs root. */
export async function ensureOpenttd(): Promise<void> {
  if (await hasImage(openttdImage)) return;
  const root = await mkdtemp(path.join(tmpdir(), 'panel-openttd-'));
  const packages = 'openttd,openttd-opengfx';
  await run('debootstrap', ['--variant=minbase', `--include=${packages}`, 'bookworm', root], {
    maxBuffer: 64 * 1024 ** 2,
  });
  const excludes = [
    './usr/share/doc/*',
    './usr/share/man/*',
    './usr/share/locale/*',
    './var/cache/apt/*',
    './var/lib/apt/lists/*',
  ];
  await importDirectory(root, openttdImage, excludes);
  await rm(root, { recursive: true });
}
