import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstallSpec, InstanceSpec, Runtime, Volume } from '../src/runtime.js';

export interface Subject {
  /** Another driver on the same engine, as after a restart. */
  open(): Runtime;
  readonly image: string;
}

const runsAsRoot = process.getuid?.() === 0;
const ownId = process.getuid?.() || 1000;

export class Fixture {
  readonly runtime: Runtime;
  private readonly opened: Runtime[] = [];
  private readonly servers: string[] = [];
  private readonly directories: string[] = [];

  constructor(readonly subject: Subject) {
    this.runtime = this.open();
  }

  open(): Runtime {
    const runtime = this.subject.open();
    this.opened.push(runtime);
    return runtime;
  }

  volume(): Volume {
    const path = mkdtempSync(join(tmpdir(), 'panel-volume-'));
    this.directories.push(path);
    if (runsAsRoot) chownSync(path, ownId, ownId);
    return { path, uid: ownId, gid: ownId };
  }

  spec(startup: string, changes: Partial<InstanceSpec> = {}): InstanceSpec {
    const serverId = changes.serverId ?? randomUUID();
    this.servers.push(serverId);
    return {
      serverId,
      generation: 1,
      image: this.subject.image,
      startup,
      environment: {},
      volume: changes.volume ?? this.volume(),
      limits: { memoryMb: 64, swapMb: 0, cpuPercent: 100, ioWeight: 500 },
      ports: [],
      ...changes,
    };
  }

  install(script: string, changes: Partial<InstallSpec> = {}): InstallSpec {
    return {
      serverId: randomUUID(),
      image: this.subject.image,
      entrypoint: 'sh',
      script,
      environment: {},
      volume: changes.volume ?? this.volume(),
      limits: { memoryMb: 64, swapMb: 0, cpuPercent: 100, ioWeight: 500 },
      timeoutMs: 15_000,
      ...changes,
    };
  }

  async run(startup: string, changes: Partial<InstanceSpec> = {}): Promise<InstanceSpec> {
    const spec = this.spec(startup, changes);
    await this.runtime.create(spec);
    await this.runtime.start(spec.serverId);
    return spec;
  }

  async close(): Promise<void> {
    const last = this.subject.open();
    for (const serverId of new Set(this.servers)) await last.remove(serverId);
    for (const runtime of [...this.opened, last]) await runtime.close();
    for (const directory of this.directories) rmSync(directory, { recursive: true, force: true });
  }
}
