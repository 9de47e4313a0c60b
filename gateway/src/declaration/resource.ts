import { z } from 'zod';
import type { Field, Setting, Shown } from './fields.js';
import { required } from './present.js';

type Fields<M> = Readonly<Record<string, Field<M>>>;

type ShownBy<F> = {
  [N in keyof F as F[N] extends { shown: object } ? N : never]: F[N] extends {
    shown: { schema: infer S extends z.ZodType };
  }
    ? S
    : never;
};
type CreateShape<F> = {
  [N in keyof F as F[N] extends { setting: object } ? N : never]: F[N] extends {
    setting: { inCreate: infer C extends z.ZodType };
  }
    ? C
    : never;
};
type UpdateShape<F> = {
  [N in keyof F as F[N] extends { setting: { inUpdate: z.ZodType } } ? N : never]: F[N] extends {
    setting: { inUpdate: infer U extends z.ZodType };
  }
    ? z.ZodOptional<U>
    : never;
};

type KeyOf<T> = T extends { setting: { key: infer K extends string } } ? K : never;
/** What a body with the fields `B` sets in a message. */
type Given<F, B> = {
  [N in keyof F & keyof B as KeyOf<F[N]>]?: F[N] extends { setting: { read: (value: never) => infer V } } ? V : never;
};
/** The fields of a resource in a body; others are the business of its route. */
type BodyOf<F> = {
  readonly [N in keyof F]?: F[N] extends { setting: { read: (value: infer I) => unknown } } ? I : unknown;
};

interface MessageType<T> {
  create(base?: never): T;
}

type Part<V> = V extends readonly (infer E)[] ? readonly E[] : V extends Date ? V : V extends object ? Partial<V> : V;
/** A message, or a part of it, of which any field may be missing. */
type PartOf<T> = { readonly [K in keyof T]?: Part<T[K]> };

/** Never fits when the message lacks a field that the body sets, or holds something else in it. */
type Holds<T, G> = [keyof G, G] extends [keyof T, PartOf<T>] ? unknown : { readonly doesNotHold: G };

/** What the API shows of a message `M`, and what requests may set of it. */
export interface Resource<M, F> {
  readonly fields: F;
  readonly schema: z.ZodObject<ShownBy<F>, z.core.$strict>;
  /** Throws INTERNAL when the service left the message out. */
  readonly present: (message: M | undefined) => z.input<z.ZodObject<ShownBy<F>, z.core.$strict>>;
  readonly createBody: z.ZodObject<CreateShape<F>, z.core.$strict>;
  /** Every field is optional. */
  readonly updateBody: z.ZodObject<UpdateShape<F>, z.core.$strict>;
  /** The message that a body makes. */
  readonly readNew: (body: z.output<z.ZodObject<CreateShape<F>, z.core.$strict>>) => M;
  /** The request that a body makes. `others` are its fields that do not follow from the declaration. */
  read<T, B extends BodyOf<F>, O extends Partial<T>>(
    type: MessageType<T> & Holds<T, Omit<Given<F, B>, keyof O>>,
    body: B,
    others?: O,
  ): T;
}

/** Declare a resource, or with an empty name a part of one. A field that the message lacks does not compile. */
export function resource<M, const F extends Fields<M>>(type: MessageType<M>, name: string, fields: F): Resource<M, F> {
  const shown = Object.entries(fields).flatMap(([field, each]) => (each.shown ? [[field, each.shown] as const] : []));
  const settings = Object.entries(fields).flatMap(([field, each]) =>
    each.setting ? [[field, each.setting] as const] : [],
  );
  const inUpdate = settings.flatMap(([field, setting]) =>
    setting.inUpdate ? [[field, setting.inUpdate.optional()]] : [],
  );
  const schema = z.strictObject(Object.fromEntries(shown.map(([field, each]) => [field, each.schema])));
  return {
    fields,
    schema: name === '' ? schema : schema.meta({ id: name }),
    createBody: z.strictObject(Object.fromEntries(settings.map(([field, { inCreate }]) => [field, inCreate]))),
    updateBody: z.strictObject(Object.fromEntries(inUpdate)),
    present: presenter(name, shown),
    readNew: (body: object) => type.create(readBody(settings, body) as never),
    read: (asked: MessageType<unknown>, body: object, others?: object) =>
      asked.create({ ...readBody(settings, body), ...others } as never),
  } as unknown as Resource<M, F>;
}

function presenter<M>(name: string, fields: readonly (readonly [string, Shown<M>])[]) {
  return (message: M | undefined) => {
    const found = required(message, name || 'a part');
    const shown: Record<string, unknown> = {};
    for (const [field, { present }] of fields) shown[field] = present(found);
    return shown;
  };
}

function readBody(settings: readonly (readonly [string, Setting])[], body: object): object {
  const values = body as Readonly<Record<string, never>>;
  const message: Record<string, unknown> = {};
  for (const [field, { key, read, isWithin }] of settings) {
    if (values[field] === undefined) continue;
    const value = read(values[field]);
    message[key] = isWithin ? Object.assign(message[key] ?? {}, value) : value;
  }
  return message;
}
