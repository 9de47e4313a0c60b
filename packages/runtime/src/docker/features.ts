import { messageOf } from '@panel/kit/errors';
import { abortable, type EngineInfo } from './abortable-calls.js';
import { type Call, unexpectedError, type Engine } from './engine.js';
import type { Machine } from '../runtime.js';
import type { Platform } from './platform.js';

const noIoWeight = /No (?:blkio weight|io\.weight) support/i;
const ioWeightRefused = /(?:io|blkio)\.(?:bfq\.)?weight/i;

/** Queried once, corrected after refusals. */
export class EngineFeatures {
  private ioWeight: boolean | null = null;
  private name: string | null = null;
  private ownPlatform: Platform | null = null;

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

  /** Asks again: another engine may have its address now. */
  async machine(): Promise<Machine> {
    const { ID = '', Name = '' } = await this.info();
    return { engineId: ID, hostName: Name };
  }

  async platform(): Promise<Platform> {
    if (this.ownPlatform === null) {
      const { Os = '', Arch = '' } = await this.ask(async (docker, abortSignal) =>
        abortable(docker).version({ abortSignal }),
      );
      this.ownPlatform = { os: Os, architecture: Arch };
    }
    return this.ownPlatform;
  }

  async systemTime(): Promise<Date | null> {
    const time = new Date((await this.info()).SystemTime ?? '');
    return Number.isNaN(time.getTime()) ? null : time;
  }

  private async info(): Promise<EngineInfo> {
    return this.ask(async (docker, abortSignal) => abortable(docker).info({ abortSignal }));
  }

  private async ask<T>(call: Call<T>): Promise<T> {
    try {
      return await this.engine.call(call);
    } catch (error) {
      throw unexpectedError(error);
    }
  }
}
