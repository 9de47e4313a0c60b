import type { ListResult } from '../declaration/response.js';

/** The value of an envelope, encoded as JSON already. */
export class JsonValue {
  constructor(readonly json: Buffer) {}
}

/** A page of a list whose items are encoded as JSON already. */
export class JsonList {
  constructor(
    readonly items: readonly Buffer[],
    readonly page: ListResult<unknown>['page'],
  ) {}
}
