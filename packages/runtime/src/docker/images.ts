import { raceAbort } from '@panel/kit/async';
import { isAppError, messageOf } from '@panel/kit/errors';
import { type ImageReference, parseImageReference } from '@panel/kit/text';
import { runtimeError } from '../reasons.js';
import type { ProgressListener } from '../runtime.js';
import { inspectImage } from './abortable-calls.js';
import type { ImageFacts } from './container-settings.js';
import { engineMessage, statusOf, unexpectedError, type Engine } from './engine.js';
import { readJsonLines } from './json-lines.js';

const pullMs = 15 * 60_000;
/** Deadline of a registry's first progress line. */
const firstAnswerMs = { present: 20_000, absent: 120_000 };

interface PullLine {
  readonly status?: unknown;
  readonly id?: unknown;
  readonly error?: unknown;
}

export class Images {
  private readonly pulls = new Map<string, Promise<void>>();

  constructor(private readonly engine: Engine) {}

  /**
   * Pulls a missing or outdated image. Returns the name for new containers. Throws INVALID_IMAGE, IMAGE_PULL_FAILED
   * (image, reason), NODE_UNREACHABLE.
   */
  async provide(text: string, onProgress?: ProgressListener, signal?: AbortSignal): Promise<string> {
    const image = parseImageReference(text);
    if (!image) throw runtimeError('INVALID_IMAGE', 'not an image reference', { image: text.slice(0, 300) });
    const isPresent = await this.isPresent(image.reference);
    if (isPresent && (image.isLocal || image.isPinned)) return image.reference;
    if (image.isLocal) throw pullFailed(text, 'it is marked as local and not on this node');
    onProgress?.('pull_image', image.reference);
    try {
      await this.pullOnce(image, isPresent, onProgress, signal);
    } catch (error) {
      signal?.throwIfAborted();
      await this.engine.ping(); // a silent registry is not a lost node
      if (!isPresent) throw pullFailed(image.reference, failureReason(error), error);
      onProgress?.('use_local_image', image.reference, failureReason(error));
    }
    return image.reference;
  }

  async facts(reference: string): Promise<ImageFacts> {
    try {
      const { Config } = await this.engine.call(async (docker, abortSignal) =>
        inspectImage(docker, reference, abortSignal),
      );
      const words = [Config.Entrypoint, Config.Cmd].flat().filter((word) => typeof word === 'string');
      return {
        command: words,
        readsStartup: words.some((word) => word.includes('entrypoint.sh')),
        hasInit: words.some((word) => /(?:^|\/)(?:tini|dumb-init|catatonit|docker-init)(?:-static)?$/.test(word)),
      };
    } catch (error) {
      if (statusOf(error) === 404) throw pullFailed(reference, 'the image is not on this node', error);
      throw unexpectedError(error);
    }
  }

  private async isPresent(reference: string): Promise<boolean> {
    try {
      await this.engine.call(async (docker, abortSignal) => inspectImage(docker, reference, abortSignal));
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw unexpectedError(error);
    }
  }

  private async pullOnce(
    image: ImageReference,
    isPresent: boolean,
    onProgress?: ProgressListener,
    signal?: AbortSignal,
  ): Promise<void> {
    // An abort ends only this caller's wait.
    const inProgress = this.pulls.get(image.reference);
    if (inProgress) return raceAbort(inProgress, signal);
    const pull = this.pull(image, isPresent, onProgress).finally(() => this.pulls.delete(image.reference));
    this.pulls.set(image.reference, pull);
    return raceAbort(pull, signal);
  }

  private async pull(image: ImageReference, isPresent: boolean, onProgress?: ProgressListener): Promise<void> {
    const stream = await this.engine.openStream(
      async (docker, abortSignal) =>
        docker.createImage({ fromImage: image.repository, tag: image.version, abortSignal }),
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

function failureReason(error: unknown): string {
  return isAppError(error, 'NODE_UNREACHABLE') ? 'the registry does not answer' : engineMessage(error);
}

function pullFailed(image: string, reason: string, cause?: unknown) {
  return runtimeError(
    'IMAGE_PULL_FAILED',
    `could not get the image ${image}`,
    { image, reason: reason || messageOf(cause) },
    { cause },
  );
}
