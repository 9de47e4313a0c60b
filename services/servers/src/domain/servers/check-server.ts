import { type FieldMessages, fieldProblem, type FieldProblem } from '@panel/kit/errors';
import { isCommandLine, isOneLine, isPlainText, parseImageReference } from '@panel/kit/text';
import { checkRunSettings, type RunSettings } from './run-settings.js';
import type { FeatureLimits, ServerLimits } from './server.js';

const maxMb = 2 ** 31 - 1;

/** Collects messages by REST field. */
export class ServerFields {
  readonly fields: FieldMessages = {};

  refuse(isWrong: boolean, field: string, problem: FieldProblem): void {
    if (isWrong) (this.fields[field] ??= []).push(problem);
  }

  get isEmpty(): boolean {
    return Object.keys(this.fields).length === 0;
  }

  name(name: string): void {
    this.refuse(name.trim() === '', 'name', fieldProblem('required', 'is required'));
    this.refuse(name.length > 191 || !isOneLine(name), 'name', 'must be one line of at most 191 characters');
  }

  description(text: string): void {
    this.refuse(text.length > 5000, 'description', fieldProblem('too_long', 'must have at most 5000 characters'));
    this.refuse(!isPlainText(text), 'description', 'must not hold control characters');
  }

  limits(limits: ServerLimits): void {
    const { memoryMb, swapMb, diskMb, ioWeight, cpuPercent } = limits;
    this.refuse(memoryMb < 128, 'memory', fieldProblem('out_of_range', 'must be at least 128 MB'));
    this.#range('memory', memoryMb, -Infinity, maxMb);
    this.#range('swap', swapMb, -1, maxMb);
    this.#range('disk', diskMb, 0, maxMb);
    this.#range('io', ioWeight, 10, 1000);
    this.#range('cpu', cpuPercent, 0, 100_000);
  }

  featureLimits(limits: FeatureLimits): void {
    this.#range('databases_limit', limits.databases, 0, 10_000);
    this.#range('backups_limit', limits.backups, 0, 10_000);
    this.#range('allocations_limit', limits.allocations, 0, 10_000);
  }

  runSettings(settings: Partial<RunSettings>): void {
    Object.assign(this.fields, checkRunSettings(settings));
  }

  image(image: string): void {
    const isWrong = parseImageReference(image) === null;
    this.refuse(isWrong, 'docker_image', 'must be an image reference like ghcr.io/owner/image:tag');
  }

  startup(startup: string): void {
    this.refuse(startup.trim() === '', 'startup', fieldProblem('required', 'is required'));
    this.refuse(startup.length > 32_768, 'startup', fieldProblem('too_long', 'must have at most 32768 characters'));
    this.refuse(!isCommandLine(startup), 'startup', 'must be one line without control characters');
  }

  externalId(id: string): void {
    this.refuse(id.length > 191 || !isOneLine(id), 'external_id', 'must be one line of at most 191 characters');
  }

  #range(field: string, value: number, min: number, max: number): void {
    const words = min === -Infinity ? `at most ${max}` : `from ${min} to ${max}`;
    this.refuse(
      !Number.isSafeInteger(value) || value < min || value > max,
      field,
      fieldProblem('out_of_range', `must be a whole number ${words}`),
    );
  }
}
