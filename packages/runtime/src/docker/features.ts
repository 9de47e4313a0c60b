import { messageOf } from '@panel/kit/errors';
import { abortable, type EngineInfo } from './abortable-calls.js';
import { unexpectedError, type Engine } from './engine.js';

const noIoWeight = /No (?:blkio weight|io\.weight) support/i;
const ioWeightRefused = /(?:io|blkio)\.(?:bfq\.)?weight/i;

/** Queried once, corrected after refusals. */
export class EngineFeatures {
  private ioWeight: boolean | null = null;
  private name: string | null = null;

  constructor(private readonly engine: Engine) {}

  /** False for kernels without CFQ or BFQ: some engines then fail the start. */
  async ioWeightWorks(): Promise<boolean> {
    if (this.ioWeight === null) {
      const warnings = (await this.info()).Warnings ?? [];
      this.ioWeight ??= !warnings.some((warning) => noIoWeight.test(warning));
    }
    return this.ioWeight;
  }

  /** Records a start failure for the next creation. */
  learnFrom(error: unknown): void {
    const reason = (error as { metadata?: { reason?: unknown } } | null)?.metadata?.reason;
    if (ioWeightRefused.test(typeof reason === 'string' ? reason : messageOf(error))) this.ioWeight = false;
  }

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
