import type { TaskGroup } from '@panel/kit/process';
import type { DockerImage } from '../domain/eggs/egg.js';
import { detectFeature, type FeatureName, type FeatureNotice, knownFeatures } from '../domain/eggs/features.js';
import type { ServerStore } from '../models/servers/server.js';

/** Lines kept until the egg is loaded. */
const maxWaiting = 1_000;

type Watch =
  | { readonly generation: number; readonly step: 'loading'; readonly lines: string[]; isForgotten: boolean }
  | {
      readonly generation: number;
      readonly step: 'watching';
      readonly features: readonly FeatureName[];
      readonly images: readonly DockerImage[];
    };

/** Matches console lines with the features of eggs. */
export class FeatureDetector {
  readonly #watches = new Map<string, Watch>();

  constructor(
    private readonly servers: Pick<ServerStore, 'getJoined'>,
    private readonly tasks: TaskGroup,
    /** Includes repeats. */
    private readonly onFeature: (serverId: string, generation: number, notice: FeatureNotice) => void,
  ) {}

  onLine(serverId: string, generation: number, text: string): void {
    const watch = this.#watches.get(serverId);
    if (watch?.generation !== generation) {
      this.#watches.set(serverId, { generation, step: 'loading', lines: [text], isForgotten: false });
      this.tasks.run('console.features', () => this.#load(serverId, generation));
    } else if (watch.step === 'watching') this.#check(serverId, watch, text);
    else if (watch.lines.length < maxWaiting) watch.lines.push(text);
  }

  /** After its run, and after what it has written: a game that asks for something often ends at once. */
  forget(serverId: string): void {
    const watch = this.#watches.get(serverId);
    if (watch?.step === 'loading') watch.isForgotten = true;
    else this.#watches.delete(serverId);
  }

  async #load(serverId: string, generation: number): Promise<void> {
    const server = await this.servers.getJoined(serverId);
    const watch = this.#watches.get(serverId);
    if (watch?.generation !== generation || watch.step !== 'loading') return;
    const resolved = server?.power.generation === generation ? (server.power.resolvedFeatures ?? []) : [];
    const features = knownFeatures(server?.egg.features ?? []).filter((name) => !resolved.includes(name));
    const watching = { generation, step: 'watching', features, images: server?.egg.dockerImages ?? [] } as const;
    if (watch.isForgotten) this.#watches.delete(serverId);
    else this.#watches.set(serverId, watching);
    for (const line of watch.lines) this.#check(serverId, watching, line);
  }

  #check(serverId: string, { generation, features, images }: Extract<Watch, { step: 'watching' }>, text: string): void {
    if (features.length === 0) return;
    const notice = detectFeature(features, text, images);
    if (notice) this.onFeature(serverId, generation, notice);
  }
}
