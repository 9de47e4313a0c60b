import type { ListResult } from '../declaration/response.js';

/** Envelope value, already JSON. */
export class JsonValue {
  constructor(readonly json: Buffer) {}
}

/** List page, items already JSON. */
export class JsonList {
  constructor(
    readonly items: readonly Buffer[],
    readonly page: ListResult<unknown>['page'],
  ) {}
}
