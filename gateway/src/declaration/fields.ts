import { z } from 'zod';
import { asSentence } from '@panel/rpc';
import {
  failureOrNull as sentenceOrNull,
  isoTime,
  isoTimeOf,
  required,
  textOrNull as nullForEmpty,
  time as timeSchema,
} from './present.js';

export interface Shown<M, S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly present: (message: M) => z.input<S>;
}

/** `I`: in a request; `V`: in the message under `key`. */
export interface Setting<
  K extends string = string,
  I = never,
  V = unknown,
  U extends z.ZodType | null = z.ZodType | null,
  C extends z.ZodType = z.ZodType,
> {
  readonly key: K;
  readonly read: (value: I) => V;
  /** Merges its value into the message's object under `key`. */
  readonly isWithin?: true;
  /** Null: creation only. */
  readonly inUpdate: U;
  readonly inCreate: C;
}

export interface Field<M> {
  readonly shown?: Shown<M>;
  readonly setting?: Setting;
}

type Holding<K extends string, V> = undefined extends V ? { readonly [Key in K]?: V } : { readonly [Key in K]: V };

export interface Settable<
  K extends string,
  V,
  S extends z.ZodType,
  I,
  U extends z.ZodType | null,
  C extends z.ZodType,
> {
  readonly shown: Shown<Holding<K, V>, S>;
  readonly setting: Setting<K, I, V, U, C>;
}

/** Held under `key`. */
export class KeyField<K extends string, V, S extends z.ZodType, I> {
  readonly shown: Shown<Holding<K, V>, S>;

  constructor(
    private readonly key: K,
    schema: S,
    readonly show: (value: V) => z.input<S>,
    readonly read: (value: I) => V,
  ) {
    this.shown = { schema, present: (message) => show((message as Readonly<Record<K, V>>)[key]) };
  }

  /** Creation uses `preset` as default; without preset it is required. */
  settable<G extends z.ZodType<I>>(given: G): Settable<K, V, S, I, G, G>;
  settable<G extends z.ZodType<I>>(
    given: G,
    preset: z.core.util.NoUndefined<z.output<G>>,
  ): Settable<K, V, S, I, G, z.ZodDefault<G>>;
  settable<G extends z.ZodType<I>>(given: G, preset?: z.core.util.NoUndefined<z.output<G>>) {
    return this.settableAs(given, preset === undefined ? given : given.default(preset));
  }

  optional<G extends z.ZodType<I>>(given: G): Settable<K, V, S, I, G, z.ZodOptional<G>> {
    return this.settableAs(given, given.optional());
  }

  /** Separate creation schema. `inUpdate` null: creation only. */
  settableAs<U extends z.ZodType<I> | null, C extends z.ZodType<I | undefined>>(
    inUpdate: U,
    inCreate: C,
  ): Settable<K, V, S, I, U, C> {
    return { shown: this.shown, setting: { key: this.key, read: this.read, inUpdate, inCreate } };
  }
}

const same = <T>(value: T): T => value;

function described<S extends z.ZodType>(schema: S, about: string | undefined): S {
  return about === undefined ? schema : schema.describe(about);
}

/** Unconverted value. */
export function plain<K extends string, S extends z.ZodType>(
  key: K,
  schema: S,
): KeyField<K, z.input<S>, S, z.input<S>> {
  return new KeyField(key, schema, same, same);
}

export const text = <K extends string>(key: K, about?: string) => plain(key, described(z.string(), about));
export const texts = <K extends string>(key: K, about?: string) => plain(key, described(z.array(z.string()), about));
export const uuid = <K extends string>(key: K, about?: string) => plain(key, described(z.uuid(), about));
export const uuids = <K extends string>(key: K, about?: string) => plain(key, described(z.array(z.uuid()), about));
export const int = <K extends string>(key: K, about?: string) => plain(key, described(z.int(), about));

/** Absent means false. */
export const flag = <K extends string>(key: K, about?: string) =>
  new KeyField(
    key,
    described(z.boolean(), about),
    (value: boolean | undefined) => value ?? false,
    (value: boolean): boolean | undefined => value,
  );

/** Labelled entries with values under `of`. */
export function labelled<K extends string, N extends string>(key: K, of: N, about?: string) {
  type Entry = Readonly<Record<'label' | N, string>>;
  const show = (entries: readonly Entry[]) => Object.fromEntries(entries.map((entry) => [entry.label, entry[of]]));
  const read = (given: Readonly<Record<string, string>>) =>
    Object.entries(given).map(([label, value]) => ({ label, [of]: value }) as Entry);
  return new KeyField(key, described(z.record(z.string(), z.string()), about), show, read);
}

/** Absent means null. */
export const intOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(
    key,
    described(z.int().nullable(), about),
    (value: number | undefined) => value ?? null,
    (value: number | null) => value ?? undefined,
  );

/** Absent or 0 means null. */
export const positiveOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(
    key,
    described(z.int().nullable(), about),
    (value: number | undefined) => value || null,
    (value: number | null): number | undefined => value ?? 0,
  );

/** Absent or empty means null. */
export function emptyForNull<K extends string, S extends z.ZodType<string, string>>(key: K, schema: S, about?: string) {
  return new KeyField(
    key,
    described(schema.nullable(), about),
    (value: string | undefined) => nullForEmpty(value ?? '') as z.input<S> | null,
    (value: string | null): string | undefined => value ?? '',
  );
}

export const textOrNull = <K extends string>(key: K, about?: string) => emptyForNull(key, z.string(), about);
export const uuidOrNull = <K extends string>(key: K, about?: string) => emptyForNull(key, z.uuid(), about);

/** Failure as a sentence; null: none. */
export const failureOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(key, described(z.string().nullable(), about), sentenceOrNull, (value: string | null) => value ?? '');

/** Always present. */
export const time = <K extends string>(key: K, about?: string) =>
  new KeyField(key, described(timeSchema, about), isoTimeOf, dateOrNone);
export const timeOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(key, described(timeSchema.nullable(), about), isoTime, dateOrNone);

function dateOrNone(value: string | null): Date | undefined {
  return value === null ? undefined : new Date(value);
}

/** Null: no failure. */
export const failure = computed(
  z.strictObject({ reason: z.string(), message: z.string() }).nullable(),
  ({ errorReason, errorMessage }: { readonly errorReason: string; readonly errorMessage: string }) =>
    errorReason === '' ? null : { reason: errorReason.toLowerCase(), message: asSentence(errorMessage) },
);

/** `unspecified` replaces other texts; without it they are service errors. */
export function oneOf<K extends string, const W extends readonly string[]>(
  key: K,
  words: W,
  { about, unspecified }: { readonly about?: string; readonly unspecified?: NoInfer<W[number]> } = {},
) {
  const show = (value: string | undefined) => required(words.find((each) => each === value) ?? unspecified, key);
  return new KeyField(key, described(z.enum(words), about), show, (given: W[number]): string | undefined => given);
}

type Values = Readonly<Record<string, string>>;
/** `INSTALL_FAILED` → `install_failed`. */
type WordOf<E extends Values> = Lowercase<Exclude<keyof E & string, 'UNSPECIFIED'>>;

/**
 * Proto enum value in lower case. `unspecified` replaces UNSPECIFIED; without it that is a service error. No word reads
 * as UNSPECIFIED.
 */
export function word<K extends string, E extends Values>(
  key: K,
  values: E,
  { about, unspecified }: { readonly about?: string; readonly unspecified?: NoInfer<WordOf<E>> } = {},
) {
  type Word = WordOf<E>;
  const names = Object.keys(values).filter((name) => name !== 'UNSPECIFIED');
  const words = new Map(names.map((name) => [values[name], name.toLowerCase() as Word]));
  const valueOf = new Map<Word | undefined, string | undefined>([[undefined, values['UNSPECIFIED']]]);
  for (const [value, each] of words) valueOf.set(each, value);
  const schema = described(z.enum([...words.values()]), about);
  const show = (value: E[keyof E]) => required(words.get(value) ?? unspecified, key);
  const read = (given: Word | undefined) => required(valueOf.get(given), key) as E[keyof E];
  return new KeyField(key, schema, show, read);
}

interface Part<M, S extends z.ZodType, B> {
  readonly schema: S;
  readonly present: (message: M | undefined) => z.input<S>;
  readonly readNew: (body: B) => M;
}

/** Nested message. */
export function part<K extends string, M, S extends z.ZodType, B>(key: K, of: Part<M, S, B>, about?: string) {
  return new KeyField<K, M | undefined, S, B>(key, described(of.schema, about), of.present, of.readNew);
}

/** Absent means null. */
export function partOrNull<K extends string, M, S extends z.ZodType, B>(key: K, of: Part<M, S, B>, about?: string) {
  const schema = described(of.schema.nullable(), about);
  const show = (value: M | undefined) => (value === undefined ? null : of.present(value));
  const read = (body: B | null) => (body === null ? undefined : of.readNew(body));
  return new KeyField<K, M | undefined, z.ZodNullable<S>, B | null>(key, schema, show, read);
}

export function parts<K extends string, M, S extends z.ZodType, B>(key: K, of: Part<M, S, B>, about?: string) {
  const schema = described(z.array(of.schema), about);
  const show = (values: readonly M[]) => values.map((value) => of.present(value));
  const read = (bodies: readonly B[]) => bodies.map((body) => of.readNew(body));
  return new KeyField<K, readonly M[], z.ZodArray<S>, readonly B[]>(key, schema, show, read);
}

/** Flattened part. `absent` replaces a missing part; a request has it when a body sets a field. */
export function within<K extends string, M, F extends Readonly<Record<string, Field<M>>>>(
  key: K,
  { fields }: { readonly fields: F; readonly present: (message: M | undefined) => unknown },
  absent?: NoInfer<M>,
) {
  const lift = ({ shown, setting }: Field<M>) => ({
    shown: shown && {
      schema: shown.schema,
      present: (message: Readonly<Record<K, M | undefined>>) => shown.present(required(message[key] ?? absent, key)),
    },
    setting: setting && {
      ...setting,
      key,
      isWithin: true,
      read: (value: never) => ({ [setting.key]: setting.read(value) }),
    },
  });
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, lift(field)])) as Lifted<K, F>;
}

type Lifted<K extends string, F> = {
  readonly [N in keyof F]: LiftedShown<K, F[N]> & LiftedSetting<K, F[N]>;
};
type LiftedShown<K extends string, F> = F extends { shown: Shown<infer M, infer S> }
  ? { readonly shown: Shown<Holding<K, M | undefined>, S> }
  : unknown;
type LiftedSetting<K extends string, F> = F extends {
  setting: Setting<infer Key, infer I, infer V, infer U, infer C>;
}
  ? { readonly setting: Setting<K, I, { readonly [N in Key]?: V }, U, C> }
  : unknown;

/** Computed from the message. */
export function computed<M, S extends z.ZodType>(schema: S, present: (message: M) => z.input<S>) {
  return { shown: { schema, present } };
}

/** Grouped fields of the message. */
export function group<M, S extends z.ZodType>({ schema, present }: Pick<Part<M, S, never>, 'schema' | 'present'>) {
  return computed<M, S>(schema, present);
}

/** Request only, one kind. */
export function given<K extends string, C extends z.ZodType>(key: K, inCreate: C) {
  type Value = z.output<C>;
  const setting: Setting<K, Value, Value, null, C> = { key, read: same, inUpdate: null, inCreate };
  return { setting };
}

/** Request only. */
export function writeOnly<K extends string, U extends z.ZodType, C extends z.ZodType>(
  key: K,
  inUpdate: U,
  inCreate: C,
) {
  type Value = z.output<U>;
  const setting: Setting<K, Value, Value, U, C> = { key, read: same, inUpdate, inCreate };
  return { setting };
}
