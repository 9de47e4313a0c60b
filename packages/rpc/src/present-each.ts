import type { CallContext } from './context.js';

/** The generated functions of a message, as far as they are needed here. */
interface Codec<M> {
  encode(message: M): { finish(): Uint8Array };
}

/**
 * Present the items of a list. When a list fails as a whole, it is asked for a second time with `isolatesItems`: then each
 * item is presented and encoded by itself, and one whose record is damaged is logged and replaced by `damaged`, or left out.
 */
export function presentEach<T extends object, M>(
  call: Pick<CallContext, 'isolatesItems' | 'log'>,
  items: readonly T[],
  present: (item: T) => M,
  codec: Codec<M>,
  damaged?: (item: T) => M,
): M[] {
  if (call.isolatesItems !== true) return items.map((item) => present(item));
  return items.flatMap((item) => {
    try {
      const message = present(item);
      codec.encode(message).finish();
      return [message];
    } catch (error) {
      call.log.error({ err: error, itemId: 'id' in item ? item.id : undefined }, 'a damaged record is in a list');
      return damaged ? [damaged(item)] : [];
    }
  });
}
