import { type FieldMessages, invalidFields } from '@panel/kit/errors';
import { withoutMark } from '../clean-texts.js';
import { isList, isMap, itemsOf, parseJsonTree, type Tree, TreeError } from '../json-tree.js';

/**
 * Absent, null and other empty types are empty; numbers and booleans become text; other types are problems of their
 * field.
 */
export class EggReader {
  readonly fields: FieldMessages = {};
  readonly warnings: string[] = [];

  fail(field: string, message: string): void {
    (this.fields[field] ??= []).push(message);
  }

  warn(message: string): void {
    if (this.warnings.length < 50) this.warnings.push(message);
  }

  text(field: string, value: Tree | undefined, otherwise = ''): string {
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== 'object') return String(value);
    this.fail(field, 'must be text');
    return otherwise;
  }

  flag(value: Tree | undefined): boolean {
    return value === true || value === 1 || value === '1' || value === 'true';
  }

  map(field: string, value: Tree | undefined): ReadonlyMap<string, Tree> {
    if (isMap(value)) return value;
    if (!isEmpty(value)) this.fail(field, 'must be an object');
    return new Map();
  }

  list(field: string, value: Tree | undefined): readonly Tree[] {
    const items = itemsOf(value);
    if (!items && !isEmpty(value)) this.fail(field, 'must be a list');
    return items ?? [];
  }

  texts(field: string, value: Tree | undefined): string[] {
    return this.list(field, value).map((item, at) => this.text(`${field}.${at}`, item));
  }

  /** A JSON string in PTDL files, else plain. */
  embedded(field: string, value: Tree | undefined): Tree {
    if (typeof value !== 'string') return value ?? null;
    if (value.trim() === '') return null;
    try {
      return parseJsonTree(withoutMark(value));
    } catch (error) {
      if (!(error instanceof TreeError)) throw error;
      this.fail(field, error.message);
      return null;
    }
  }

  throwProblems(): void {
    if (Object.keys(this.fields).length > 0) throw invalidFields(this.fields, 'the egg file is not valid');
  }
}

function isEmpty(value: Tree | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return (isMap(value) && value.size === 0) || (isList(value) && value.length === 0);
}
