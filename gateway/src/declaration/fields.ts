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

/** What the API shows in a field, and how it follows from the message of a service. */
export interface Shown<M, S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly present: (message: M) => z.input<S>;
}

/** What requests may set a field to. `I` is the value in a request, `V` the one in the message under `key`. */
export interface Setting<
  K extends string = string,
  I = never,
  V = unknown,
  U extends z.ZodType | null = z.ZodType | null,
  C extends z.ZodType = z.ZodType,
> {
  readonly key: K;
  readonly read: (value: I) => V;
  /** Whether a request holds the fields of `key` together, each read as an object with its own. */
  readonly isWithin?: true;
  /** Null: nothing, once it is created. */
  readonly inUpdate: U;
  readonly inCreate: C;
}

/** A field of a resource. */
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

/** A field that the message holds under `key`. */
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

  /** Requests may set it. A creation without it gets `preset`; without a preset it is required. */
  settable<G extends z.ZodType<I>>(given: G): Settable<K, V, S, I, G, G>;
  settable<G extends z.ZodType<I>>(
    given: G,
    preset: z.core.util.NoUndefined<z.output<G>>,
  ): Settable<K, V, S, I, G, z.ZodDefault<G>>;
  settable<G extends z.ZodType<I>>(given: G, preset?: z.core.util.NoUndefined<z.output<G>>) {
    return this.settableAs(given, preset === undefined ? given : given.default(preset));
  }

  /** Requests may set it, and need not. */
  optional<G extends z.ZodType<I>>(given: G): Settable<K, V, S, I, G, z.ZodOptional<G>> {
    return this.settableAs(given, given.optional());
  }

  /** Requests may set it, at the creation by a schema of its own. With an `inUpdate` of null only there. */
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

/** A value that the message holds as the API shows it. */
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

/** A flag that the message may leave out for false. */
export const flag = <K extends string>(key: K, about?: string) =>
  new KeyField(
    key,
    described(z.boolean(), about),
    (value: boolean | undefined) => value ?? false,
    (value: boolean): boolean | undefined => value,
  );

/** A list of labels, each with a value under `of`, as an object of them. */
export function labelled<K extends string, N extends string>(key: K, of: N, about?: string) {
  type Entry = Readonly<Record<'label' | N, string>>;
  const show = (entries: readonly Entry[]) => Object.fromEntries(entries.map((entry) => [entry.label, entry[of]]));
  const read = (given: Readonly<Record<string, string>>) =>
    Object.entries(given).map(([label, value]) => ({ label, [of]: value }) as Entry);
  return new KeyField(key, described(z.record(z.string(), z.string()), about), show, read);
}

/** A number that the message leaves out for none. */
export const intOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(
    key,
    described(z.int().nullable(), about),
    (value: number | undefined) => value ?? null,
    (value: number | null) => value ?? undefined,
  );

/** A number that the message leaves out, or 0, for none. */
export const positiveOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(
    key,
    described(z.int().nullable(), about),
    (value: number | undefined) => value || null,
    (value: number | null): number | undefined => value ?? 0,
  );

/** A text that the message leaves out, or empty, for none. */
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

/** Why something failed, as a sentence; null when nothing did. */
export const failureOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(key, described(z.string().nullable(), about), sentenceOrNull, (value: string | null) => value ?? '');

/** A time that a service always sends. */
export const time = <K extends string>(key: K, about?: string) =>
  new KeyField(key, described(timeSchema, about), isoTimeOf, dateOrNone);
export const timeOrNull = <K extends string>(key: K, about?: string) =>
  new KeyField(key, described(timeSchema.nullable(), about), isoTime, dateOrNone);

function dateOrNone(value: string | null): Date | undefined {
  return value === null ? undefined : new Date(value);
}

/** The reason and the message with which something failed; null when nothing did. */
export const failure = computed(
  z.strictObject({ reason: z.string(), message: z.string() }).nullable(),
  ({ errorReason, errorMessage }: { readonly errorReason: string; readonly errorMessage: string }) =>
    errorReason === '' ? null : { reason: errorReason.toLowerCase(), message: asSentence(errorMessage) },
);

/**
 * A text that is one of `words`. `unspecified` is what the API shows of any other; without it that is an error of the
 * service.
 */
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
 * A value of an enum of the protos, as the lower-case word of its name. `unspecified` is what the API shows when the service
 * does not say; without it that is an error of the service. No word reads as UNSPECIFIED.
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

/** A part of the message with fields of its own. */
export function part<K extends string, M, S extends z.ZodType, B>(key: K, of: Part<M, S, B>, about?: string) {
  return new KeyField<K, M | undefined, S, B>(key, described(of.schema, about), of.present, of.readNew);
}

/** A part that the message leaves out for none. */
export function partOrNull<K extends string, M, S extends z.ZodType, B>(key: K, of: Part<M, S, B>, about?: string) {
  const schema = described(of.schema.nullable(), about);
  const show = (value: M | undefined) => (value === undefined ? null : of.present(value));
  const read = (body: B | null) => (body === null ? undefined : of.readNew(body));
  return new KeyField<K, M | undefined, z.ZodNullable<S>, B | null>(key, schema, show, read);
}

/** A list of parts. */
export function parts<K extends string, M, S extends z.ZodType, B>(key: K, of: Part<M, S, B>, about?: string) {
  const schema = described(z.array(of.schema), about);
  const show = (values: readonly M[]) => values.map((value) => of.present(value));
  const read = (bodies: readonly B[]) => bodies.map((body) => of.readNew(body));
  return new KeyField<K, readonly M[], z.ZodArray<S>, readonly B[]>(key, schema, show, read);
}

/**
 * The fields of a part, as fields of the resource itself. `absent` is shown when the message leaves the part out; a request
 * has the part when a body sets one of its fields.
 */
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

/** A field that follows from the message by a function. */
export function computed<M, S extends z.ZodType>(schema: S, present: (message: M) => z.input<S>) {
  return { shown: { schema, present } };
}

/** Fields of the message itself, shown as an object of their own. */
export function group<M, S extends z.ZodType>({ schema, present }: Pick<Part<M, S, never>, 'schema' | 'present'>) {
  return computed<M, S>(schema, present);
}

/** A field of one kind of request, which no answer shows. */
export function given<K extends string, C extends z.ZodType>(key: K, inCreate: C) {
  type Value = z.output<C>;
  const setting: Setting<K, Value, Value, null, C> = { key, read: same, inUpdate: null, inCreate };
  return { setting };
}

/** A field that requests set and no answer shows. */
export function writeOnly<K extends string, U extends z.ZodType, C extends z.ZodType>(
  key: K,
  inUpdate: U,
  inCreate: C,
) {
  type Value = z.output<U>;
  const setting: Setting<K, Value, Value, U, C> = { key, read: same, inUpdate, inCreate };
  return { setting };
}
