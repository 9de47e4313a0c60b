import type { Query, Schema } from 'mongoose';

/** Told before and after every write of this process: the id of the one document, or null when there may be more. */
export type WriteObserver = (id: string | null) => void;

type AnyQuery = Query<unknown, unknown>;

const writes = ['findOneAndUpdate', 'findOneAndDelete', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany'] as const;

/** A copy of a schema whose model tells of its writes, whichever function makes them. */
export function watchWrites<T>(schema: Schema<T>, onWrite: WriteObserver): Schema<T> {
  const watched = schema.clone();
  const tell = (query: AnyQuery) => {
    const id: unknown = query.getFilter()['_id'];
    onWrite(typeof id === 'string' ? id : null);
  };
  for (const write of writes) {
    watched.pre(write as 'updateOne', { query: true, document: false }, function before(this: AnyQuery) {
      tell(this);
    });
    watched.post(write as 'updateOne', { query: true, document: false }, function after(this: AnyQuery) {
      tell(this);
    });
  }
  watched.post('save', () => onWrite(null));
  watched.post('insertMany', () => onWrite(null));
  return watched;
}
