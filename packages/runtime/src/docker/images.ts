import type { ImageInspectInfo } from 'dockerode';
import { raceAbort } from '@panel/kit/async';
import { isAppError, messageOf } from '@panel/kit/errors';
import { type ImageReference, parseImageReference } from '@panel/kit/text';
import { runtimeError } from '../reasons.js';
import type { ProgressListener, RegistryCredentials } from '../runtime.js';
import { inspectImage } from './abortable-calls.js';
import type { ImageFacts } from './container-settings.js';
import { engineMessage, statusOf, unexpectedError, type Engine } from './engine.js';
import type { EngineFeatures } from './features.js';
import { readJsonLines } from './json-lines.js';
import { runsOn, wrongPlatform } from './platform.js';
import { authConfigOf, credentialsFor, digestOf, refusalIn, withoutSecrets } from './registry-login.js';

const pullMs = 15 * 60_000;
/** Deadline of a registry's first progress line. */
const firstAnswerMs = { present: 20_000, absent: 120_000 };

interface PullLine {
  readonly status?: unknown;
  readonly id?: unknown;
  readonly error?: unknown;
}

interface WantedImage {
  readonly image: string;
  /** Of another registry: not sent. */
  readonly credentials?: RegistryCredentials;
}

interface Pull {
  readonly image: ImageReference;
  readonly credentials: RegistryCredentials | null;
  readonly isPresent: boolean;
  readonly onProgress?: ProgressListener | undefined;
}

interface ProvidedImage {
  /** Its name for new containers. */
  readonly reference: string;
  readonly facts: ImageFacts;
}

export class Images {
  private readonly pulls = new Map<string, Promise<void>>();

  /** `emulated`: platforms beside its own that the node runs, like "linux/arm64". */
  constructor(
    private readonly engine: Engine,
    private readonly features: Pick<EngineFeatures, 'platform'>,
    private readonly emulated: readonly string[],
  ) {}

  /**
   * Pulls a missing or outdated image. Throws INVALID_IMAGE, IMAGE_PULL_FAILED (image, reason), IMAGE_WRONG_PLATFORM,
   * NODE_UNREACHABLE.
   */
  async provide(wanted: WantedImage, onProgress?: ProgressListener, signal?: AbortSignal): Promise<ProvidedImage> {
    const { image: text } = wanted;
    const image = parseImageReference(text);
    if (!image) throw runtimeError('INVALID_IMAGE', 'not an image reference', { image: text.slice(0, 300) });
    const { reference } = image;
    const present = await this.inspect(reference);
    if (present && (image.isLocal || image.isPinned)) return this.checked(reference, present);
    if (image.isLocal) throw pullFailed(text, 'it is marked as local and not on this node');
    const pull = {
      image,
      credentials: credentialsFor(image, wanted.credentials),
      isPresent: present !== null,
      onProgress,
    };
    onProgress?.('pull_image', reference);
    try {
      await this.pullOnce(pull, signal);
    } catch (error) {
      signal?.throwIfAborted();
      await this.engine.ping(); // a silent registry is not a lost node
      if (!present && isForOthers(error)) throw wrongPlatform(reference, null, await this.features.platform(), error);
      if (!present) throw pullFailed(reference, failureReason(error, pull), causeOf(error, pull));
      onProgress?.('use_local_image', reference, failureReason(error, pull));
    }
    const found = await this.inspect(reference);
    if (!found) throw pullFailed(reference, 'the image is not on this node');
    return this.checked(reference, found);
  }

  /** A game of another processor would end at once, again and again. */
  private async checked(reference: string, { Os, Architecture, Variant, Config }: ImageInspectInfo) {
    const made = { os: Os, architecture: Architecture, variant: Variant };
    const node = await this.features.platform();
    if (!runsOn(made, node, this.emulated)) throw wrongPlatform(reference, made, node);
    const words = [Config.Entrypoint, Config.Cmd].flat().filter((word) => typeof word === 'string');
    const facts = {
      command: words,
      readsStartup: words.some((word) => word.includes('entrypoint.sh')),
      hasInit: words.some((word) => /(?:^|\/)(?:tini|dumb-init|catatonit|docker-init)(?:-static)?$/.test(word)),
    };
    return { reference, facts };
  }

  /** Null: not on the node. */
  private async inspect(reference: string): Promise<ImageInspectInfo | null> {
    try {
      return await this.engine.call(async (docker, abortSignal) => inspectImage(docker, reference, abortSignal));
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw unexpectedError(error);
    }
  }

  /** One at a time for equal credentials: others might not be let in. */
  private async pullOnce(wanted: Pull, signal?: AbortSignal): Promise<void> {
    const key = `${wanted.image.reference} ${digestOf(wanted.credentials)}`;
    // An abort ends only this caller's wait.
    const inProgress = this.pulls.get(key);
    if (inProgress) return raceAbort(inProgress, signal);
    const pull = this.pull(wanted).finally(() => this.pulls.delete(key));
    this.pulls.set(key, pull);
    return raceAbort(pull, signal);
  }

  /** Engines choose the image of their own platform. */
  private async pull(wanted: Pull): Promise<void> {
    try {
      await this.pullOf(undefined, wanted);
    } catch (error) {
      const [emulated] = this.emulated;
      if (emulated === undefined || !isForOthers(error)) throw error;
      await this.pullOf(emulated, wanted);
    }
  }

  private async pullOf(platform: string | undefined, wanted: Pull): Promise<void> {
    const { image, credentials, isPresent, onProgress } = wanted;
    const stream = await this.engine.openStream(
      async (docker, abortSignal) =>
        docker.createImage(credentials && authConfigOf(credentials), {
          fromImage: image.repository,
          tag: image.version,
          ...(platform !== undefined && { platform }),
          abortSignal,
        }),
      { timeoutMs: isPresent ? firstAnswerMs.present : firstAnswerMs.absent },
    );
    const timer = setTimeout(() => stream.destroy(new Error(`not done within ${pullMs / 60_000} minutes`)), pullMs);
    try {
      for await (const line of readJsonLines<PullLine>(stream)) {
        if (typeof line.error === 'string') throw new Error(line.error);
        if (typeof line.status === 'string') {
          onProgress?.('pull_image', [line.id, line.status].filter((part) => typeof part === 'string').join(': '));
        }
      }
    } finally {
      clearTimeout(timer);
      stream.destroy();
    }
  }
}

/** The registry has the image, but none for the asked platform. */
function isForOthers(error: unknown): boolean {
  return /no matching manifest for|no match for platform in manifest/i.test(engineMessage(error));
}

function failureReason(error: unknown, { image: { registry }, credentials }: Pull): string {
  if (isAppError(error, 'NODE_UNREACHABLE')) return 'the registry does not answer';
  const message = engineMessage(error) || messageOf(error);
  return refusalIn(message, registry, credentials) ?? withoutSecrets(message, credentials);
}

/** For logs. */
function causeOf(error: unknown, { credentials }: Pull): unknown {
  return credentials === null ? error : new Error(withoutSecrets(messageOf(error), credentials));
}

function pullFailed(image: string, reason: string, cause?: unknown) {
  return runtimeError('IMAGE_PULL_FAILED', `could not get the image ${image}`, { image, reason }, { cause });
}
