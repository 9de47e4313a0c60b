import type { CallContext } from './context.js';

interface Codec<M> {
  encode(message: M): { finish(): Uint8Array };
}

/**
 * After a failure of the whole list the call repeats with `isolatesItems`: each item is encoded alone, and a damaged
 * one is logged and replaced by `damaged` or omitted.
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
