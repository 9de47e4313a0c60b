import type { FileHandle } from 'node:fs/promises';
import { type AppError, isAppError, isErrno } from '@panel/kit/errors';
import type { Logger, TaskGroup } from '@panel/kit/process';
import type { DiskProject } from '../domain/disk-project.js';
import { mapFsErrors } from '../jail/errno.js';
import { dutyCycle } from '../jail/measure.js';
import type { EntryRef } from '../jail/move.js';
import { openNode, openTrusted, withHandle } from '../jail/node.js';
import { ifExists } from '../jail/paths.js';
import { volumeOf, type Volumes } from '../volumes/volumes.js';
import { setProjectBelow, type TreeProject } from './project-tree.js';
import type { QuotaMount } from './quota-mount.js';
import type { QuotaPrograms } from './quota-programs.js';
import { fail } from '../reasons.js';

export interface VolumeLimit {
  readonly serverId: string;
  /** 0: unlimited. */
  readonly limitBytes: number;
}

/**
 * Kernel disk limits (project quotas). A project covers a volume and data in preparation for it: uploads, a restored
 * backup, an arriving volume; not trash and file versions.
 * A directory that inherits its project refuses rename(2) and link(2) from outside (EXDEV): entries are counted before
 * they move in.
 */
export interface DiskQuotas {
  /** Null: limits are only watched. */
  readonly mount: QuotaMount | null;
  /** Counts existing files in a task. `limitBytes` undefined: the last one. Logs failures. */
  hold(serverId: string, limitBytes?: number): Promise<void>;
  /** For servers with a volume here. */
  setLimits(limits: readonly VolumeLimit[]): Promise<void>;
  /** For an empty directory and its future contents. */
  include(serverId: string, directory: FileHandle): Promise<void>;
  /** Before an entry moves into the volume. Throws DISK_LIMIT, TREE_MOVED. */
  takeIn(serverId: string, entry: EntryRef): Promise<void>;
  /** After an entry left the volume. */
  letGo(entry: EntryRef): Promise<void>;
  /**
   * Suspends the limit while a server has two trees, until the returned function is called; first counts the whole
   * volume.
   */
  lift(serverId: string): Promise<() => Promise<void>>;
  /** After the volume's deletion. */
  release(serverId: string): Promise<void>;
  areCounted(handles: readonly FileHandle[]): Promise<boolean[]>;
  /** Restores limits and counts uncounted files, as after a disk restore. Works at most half of the time. */
  repair(signal: AbortSignal): Promise<void>;
  /** DISK_LIMIT for XFS's DISK_FULL at a limit; BUSY for a move from an uncounted tree. */
  explain(error: unknown): Promise<unknown>;
}

interface ProjectRecords {
  /** Existing or new. */
  assign(nodeId: string, serverId: string): Promise<DiskProject>;
  find(nodeId: string, serverId: string): Promise<DiskProject | null>;
  list(nodeId: string): Promise<DiskProject[]>;
  setLimit(nodeId: string, serverId: string, limitBytes: number): Promise<void>;
  setComplete(id: number, isComplete: boolean): Promise<void>;
  delete(id: number): Promise<void>;
}

export interface DiskQuotasOptions {
  readonly mount: QuotaMount;
  readonly programs: QuotaPrograms;
  readonly store: ProjectRecords;
  readonly nodeId: string;
  readonly volumes: Pick<Volumes, 'list' | 'open' | 'occupant' | 'space'>;
  readonly uploadsOf: (serverId: string) => string;
  readonly tasks: TaskGroup;
  readonly log: Logger;
}

export const noDiskQuotas: DiskQuotas = {
  mount: null,
  hold: async () => undefined,
  setLimits: async () => undefined,
  include: async () => undefined,
  takeIn: async () => undefined,
  letGo: async () => undefined,
  lift: async () => async () => undefined,
  release: async () => undefined,
  areCounted: async (handles) => handles.map(() => false),
  repair: async () => undefined,
  explain: async (error) => error,
};

/** Walks of a tree whose directories move. */
const maxTries = 3;
/** A disk with more is not full. */
const fullBelowBytes = 1024 * 1024;

export class ProjectQuotas implements DiskQuotas {
  readonly #options: DiskQuotasOptions;
  /** Limits set by this process, by server id. */
  readonly #held = new Map<string, number>();
  /** Open lifts, by server id. */
  readonly #lifted = new Map<string, number>();
  readonly #completions = new Map<string, Promise<void>>();

  constructor(options: DiskQuotasOptions) {
    this.#options = options;
  }

  get mount(): QuotaMount {
    return this.#options.mount;
  }

  async hold(serverId: string, limitBytes?: number): Promise<void> {
    const { store, nodeId, volumes, tasks } = this.#options;
    await this.#attempt(serverId, async () => {
      const project = await store.assign(nodeId, serverId);
      if (limitBytes !== undefined && limitBytes !== project.limitBytes) {
        await store.setLimit(nodeId, serverId, limitBytes);
      }
      await this.#apply([{ ...project, limitBytes: limitBytes ?? project.limitBytes }]);
      if (project.isComplete) return;
      // counts a new volume from its first byte
      if ((await volumes.occupant(serverId)) === 'empty volume') await this.#complete(project);
      else tasks.run('count the files of a server', async () => this.#complete(project));
    });
  }

  async setLimits(limits: readonly VolumeLimit[]): Promise<void> {
    const { store, nodeId, volumes } = this.#options;
    const [projects, there] = await Promise.all([store.list(nodeId), volumes.list()]);
    const known = new Map(projects.map((project) => [project.serverId, project]));
    const present = new Set(there);
    const changed: DiskProject[] = [];
    for (const { serverId, limitBytes } of limits) {
      const project = known.get(serverId);
      if (!project) {
        if (present.has(serverId)) await this.hold(serverId, limitBytes);
        continue;
      }
      if (project.limitBytes !== limitBytes) await store.setLimit(nodeId, serverId, limitBytes);
      changed.push({ ...project, limitBytes });
    }
    await this.#apply(changed);
  }

  async include(serverId: string, directory: FileHandle): Promise<void> {
    const { programs, store, nodeId } = this.#options;
    const { id: projectId } = await store.assign(nodeId, serverId);
    await programs.setProject([directory], { projectId, inherits: true });
  }

  async takeIn(serverId: string, { directory, name }: EntryRef): Promise<void> {
    const { store, nodeId, programs } = this.#options;
    const { id: projectId } = await store.assign(nodeId, serverId);
    await withHandle(await openNode(directory, name), async (node) => {
      const stats = await node.stat();
      if (!stats.isDirectory() && !stats.isFile()) return;
      // first: the trash sweep finds a counted entry outside the volume
      await programs.setProject([node], { projectId, ...(stats.isDirectory() ? { inherits: true } : {}) });
      if (stats.isDirectory()) await this.#setBelow(node, { projectId, inherits: true });
    });
  }

  async letGo({ directory, name }: EntryRef): Promise<void> {
    const { programs } = this.#options;
    await withHandle(await openNode(directory, name), async (node) => {
      const stats = await node.stat();
      const isDirectory = stats.isDirectory();
      // another hard link may be in the volume
      if (!isDirectory && (!stats.isFile() || stats.nlink > 1)) return;
      if (isDirectory) await this.#setBelow(node, { projectId: 0, inherits: false, onlySingleNames: true });
      // last: marks everything below as done
      await programs.setProject([node], { projectId: 0, ...(isDirectory ? { inherits: false } : {}) });
    });
  }

  async lift(serverId: string): Promise<() => Promise<void>> {
    const { store, nodeId } = this.#options;
    const project = await store.assign(nodeId, serverId);
    this.#lifted.set(serverId, (this.#lifted.get(serverId) ?? 0) + 1);
    const end = async () => {
      const left = (this.#lifted.get(serverId) ?? 1) - 1;
      if (left > 0) {
        this.#lifted.set(serverId, left);
        return;
      }
      this.#lifted.delete(serverId);
      const now = await store.find(nodeId, serverId);
      if (now) await this.#attempt(serverId, async () => this.#apply([now]));
    };
    try {
      await this.#setKernelLimits([{ ...project, limitBytes: 0 }]);
      if (!project.isComplete) await this.#complete(project);
      return end;
    } catch (error) {
      await end();
      throw error;
    }
  }

  async release(serverId: string): Promise<void> {
    const { store, nodeId } = this.#options;
    await this.#attempt(serverId, async () => {
      const project = await store.find(nodeId, serverId);
      if (!project) return;
      await this.#setKernelLimits([{ ...project, limitBytes: 0 }]);
      await store.delete(project.id);
      this.#held.delete(serverId);
    });
  }

  async areCounted(handles: readonly FileHandle[]): Promise<boolean[]> {
    return (await this.#options.programs.projectsOf(handles)).map((id) => id !== 0);
  }

  async repair(signal: AbortSignal): Promise<void> {
    const { store, nodeId, volumes } = this.#options;
    this.#held.clear();
    await this.#apply(await store.list(nodeId));
    for (const serverId of await volumes.list()) {
      signal.throwIfAborted();
      await this.#attempt(serverId, async () => {
        const project = await store.assign(nodeId, serverId);
        const isComplete = project.isComplete && (await this.#isRootOf(project));
        if (!isComplete) await this.#complete(project);
      });
    }
  }

  async explain(error: unknown): Promise<unknown> {
    if (isErrno(error, 'EXDEV')) {
      return fail('BUSY', 'the files of the server are being counted, try again', {}, { cause: error });
    }
    if (!isAppError(error, 'DISK_FULL')) return error;
    const { freeBytes } = await this.#options.volumes.space();
    return freeBytes < fullBelowBytes ? error : limitReached(error);
  }

  async #isRootOf({ serverId, id }: DiskProject): Promise<boolean> {
    const { volumes, programs } = this.#options;
    return volumes.open(volumeOf(serverId), async (root) => (await programs.projectsOf([root]))[0] === id);
  }

  async #apply(projects: readonly DiskProject[]): Promise<void> {
    await this.#setKernelLimits(
      projects.filter(
        ({ serverId, limitBytes }) =>
          limitBytes !== null && !this.#lifted.has(serverId) && this.#held.get(serverId) !== limitBytes,
      ),
    );
  }

  async #setKernelLimits(projects: readonly DiskProject[]): Promise<void> {
    const { programs, mount } = this.#options;
    await programs.setLimits(
      mount.mountPoint,
      projects.map(({ id: projectId, limitBytes }) => ({ projectId, bytes: limitBytes ?? 0 })),
    );
    for (const { serverId, limitBytes } of projects) this.#held.set(serverId, limitBytes ?? 0);
  }

  /** One walk at a time. */
  async #complete(project: DiskProject): Promise<void> {
    const { serverId } = project;
    const running = this.#completions.get(serverId) ?? this.#countVolume(project);
    this.#completions.set(serverId, running);
    try {
      await running;
    } finally {
      this.#completions.delete(serverId);
    }
  }

  /** Two passes: with immediate inheritance, a running game could not move uncounted files (EXDEV). */
  async #countVolume({ id: projectId, serverId }: DiskProject): Promise<void> {
    const { programs, store, tasks, volumes, uploadsOf } = this.#options;
    try {
      await volumes.open(volumeOf(serverId), async (root) => {
        const rest = dutyCycle(tasks.signal);
        await this.#setBelow(root, { projectId, rest });
        await programs.setProject([root], { projectId, inherits: true });
        await this.#setBelow(root, { projectId, inherits: true, rest });
      });
      await ifExists(async () =>
        withHandle(await openTrusted(uploadsOf(serverId)), async (uploads) =>
          programs.setProject([uploads], { projectId, inherits: true }),
        ),
      );
      await store.setComplete(projectId, true);
    } catch (error) {
      if (!isAppError(error, 'VOLUME_NOT_FOUND')) throw error;
    }
  }

  async #setBelow(root: FileHandle, options: TreeProject): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await setProjectBelow(this.#options.programs, root, options);
      } catch (error) {
        if (!isAppError(error, 'TREE_MOVED') || tries === maxTries) throw error;
      }
    }
  }

  async #attempt(serverId: string, work: () => Promise<void>): Promise<void> {
    const { log, tasks } = this.#options;
    try {
      await work();
    } catch (error) {
      if (tasks.signal.aborted) throw error;
      log.error({ err: error, serverId }, 'the disk limit of a server is not held by the kernel');
    }
  }
}

/** As `mapFsErrors`, with DISK_LIMIT at the volume's limit. */
export async function mapGrowthErrors<T>(quotas: Pick<DiskQuotas, 'explain'>, work: () => Promise<T>): Promise<T> {
  try {
    return await mapFsErrors(work);
  } catch (error) {
    throw await quotas.explain(error);
  }
}

function limitReached(cause: AppError): AppError {
  return fail('DISK_LIMIT', "the server's disk limit is reached", {}, { cause });
}
