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
/** What the fields `B` of a body set in a message. */
type Given<F, B> = {
  [N in keyof F & keyof B as KeyOf<F[N]>]?: F[N] extends { setting: { read: (value: never) => infer V } } ? V : never;
};
/** Other fields belong to the route. */
type BodyOf<F> = {
  readonly [N in keyof F]?: F[N] extends { setting: { read: (value: infer I) => unknown } } ? I : unknown;
};

interface MessageType<T> {
  create(base?: never): T;
}

type Part<V> = V extends readonly (infer E)[] ? readonly E[] : V extends Date ? V : V extends object ? Partial<V> : V;
/** All fields optional, recursively. */
type PartOf<T> = { readonly [K in keyof T]?: Part<T[K]> };

/** Does not compile when the message lacks a body field or differs in type. */
type Holds<T, G> = [keyof G, G] extends [keyof T, PartOf<T>] ? unknown : { readonly doesNotHold: G };

export interface Resource<M, F> {
  readonly fields: F;
  readonly schema: z.ZodObject<ShownBy<F>, z.core.$strict>;
  /** Throws INTERNAL without a message. */
  readonly present: (message: M | undefined) => z.input<z.ZodObject<ShownBy<F>, z.core.$strict>>;
  readonly createBody: z.ZodObject<CreateShape<F>, z.core.$strict>;
  /** All fields optional. */
  readonly updateBody: z.ZodObject<UpdateShape<F>, z.core.$strict>;
  readonly readNew: (body: z.output<z.ZodObject<CreateShape<F>, z.core.$strict>>) => M;
  /** `others`: fields that the declaration does not map. */
  read<T, B extends BodyOf<F>, O extends Partial<T>>(
    type: MessageType<T> & Holds<T, Omit<Given<F, B>, keyof O>>,
    body: B,
    others?: O,
  ): T;
}

/** An empty name declares a part. Unknown fields do not compile. */
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
