/** The value of an envelope, with headers of its own. */
export class HeadedReply<T> {
  constructor(
    readonly value: T,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}
