/** Envelope value with extra headers. */
export class HeadedReply<T> {
  constructor(
    readonly value: T,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}
