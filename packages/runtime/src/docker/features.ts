import { messageOf } from '@panel/kit/errors';
import { abortable, type EngineInfo } from './abortable-calls.js';
import { unexpectedError, type Engine } from './engine.js';

const noIoWeight = /No (?:blkio weight|io\.weight) support/i;
const ioWeightRefused = /(?:io|blkio)\.(?:bfq\.)?weight/i;

/** What one engine can do: asked once, and corrected by what it refuses later. */
export class EngineFeatures {
  private ioWeight: boolean | null = null;
  private name: string | null = null;

  constructor(private readonly engine: Engine) {}

  /** Kernels without CFQ or BFQ have no weights; some engines then fail the start instead of leaving the weight out. */
  async ioWeightWorks(): Promise<boolean> {
    if (this.ioWeight === null) {
      const warnings = (await this.info()).Warnings ?? [];
      this.ioWeight ??= !warnings.some((warning) => noIoWeight.test(warning));
    }
    return this.ioWeight;
  }

  /** Remember why a start failed, so that the next creation avoids it. */
  learnFrom(error: unknown): void {
    const reason = (error as { metadata?: { reason?: unknown } } | null)?.metadata?.reason;
    if (ioWeightRefused.test(typeof reason === 'string' ? reason : messageOf(error))) this.ioWeight = false;
  }

  /** Name of the machine the engine runs on. */
  async hostName(): Promise<string> {
    this.name ??= (await this.info()).Name ?? '';
    return this.name;
  }

  private async info(): Promise<EngineInfo> {
    try {
      return await this.engine.call(async (docker, abortSignal) => abortable(docker).info({ abortSignal }));
    } catch (error) {
      throw unexpectedError(error);
    }
  }
}
