/** A field of stored records: `T` is what code sees, the rest what mongoose checks (`documentSchema` of `@panel/kit/mongo`). */
export interface Field<T> {
  readonly type?: unknown;
  readonly part?: Fields;
  readonly each?: Field<unknown>;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly min?: number;
  readonly validate?: (value: unknown) => boolean;
  /** In types only. */
  readonly value?: T;
}

export interface OptionalField<T> extends Field<T> {
  readonly isOptional: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** What declared fields hold. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F as F[K] extends OptionalField<unknown> ? never : K]: ValueOf<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends OptionalField<unknown> ? K : never]?: ValueOf<F[K]>;
};

/** Not empty. */
export const id: Field<string> = { type: String, required: true };
/** May be empty; mongoose's `required` refuses that. */
export const text: Field<string> = { type: String, default: '' };
export const number: Field<number> = { type: Number, required: true };
export const count: Field<number> = { ...number, validate: Number.isSafeInteger };
/** Non-negative. */
export const amount: Field<number> = { ...count, min: 0 };
export const flag: Field<boolean> = { type: Boolean, required: true };
export const date: Field<Date> = { type: Date, required: true };
export const textMap: Field<Readonly<Record<string, string>>> = { type: Map, each: { type: String }, default: {} };

/** Unchecked. */
export function mixed<T>(): Field<T> {
  return { type: Object, required: true };
}

export function oneOf<const W extends string | number>(words: readonly W[]): Field<W> {
  return { type: typeof words[0] === 'number' ? Number : String, enum: words, required: true };
}

export function part<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return { part: fields, required: true };
}

/** Empty by default. */
export function listOf<T>(each: Field<T>): Field<readonly T[]> {
  return { each };
}

/** Null by default. */
export function orNull<T>({ required: _required, validate: _validate, ...field }: Field<T>): Field<T | null> {
  return { ...field, enum: field.enum && [...field.enum, null], default: null };
}

/** In the documents; `value` may be a function. */
export function withDefault<T>({ required: _required, ...field }: Field<T>, value: T | (() => T)): Field<T> {
  return { ...field, default: value };
}

/** May be absent. */
export function optional<T>({ required: _required, validate: _validate, ...field }: Field<T>): OptionalField<T> {
  return { ...field, ...(field.default === '' && { default: undefined }), isOptional: true };
}
