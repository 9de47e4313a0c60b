import { type Answer, FaultServer, type ReceivedRequest } from '../payments/fault-server.js';

interface Question {
  readonly countryCode: string;
  readonly vatNumber: string;
  readonly requesterNumber?: string;
}

/** Speaks the REST API of VIES. */
export class FakeVies {
  readonly valid = new Set<string>();
  /** Of member states, e.g. MS_UNAVAILABLE; empty: none. */
  error = '';
  unknownRequester = false;
  readonly questions: Question[] = [];

  async start(): Promise<FaultServer> {
    return FaultServer.start((request) => this.#answer(request));
  }

  #answer({ method, path, body }: ReceivedRequest): Answer {
    if (method !== 'POST' || path !== '/rest-api/check-vat-number') return { status: 404, json: {} };
    const question = JSON.parse(body) as Question;
    this.questions.push(question);
    const error = this.unknownRequester && question.requesterNumber ? 'INVALID_REQUESTER_INFO' : this.error;
    if (error !== '') return { status: 200, json: { actionSucceed: false, errorWrappers: [{ error }] } };
    const { countryCode, vatNumber, requesterNumber } = question;
    const valid = this.valid.has(`${countryCode}${vatNumber}`);
    const requestIdentifier = requesterNumber === undefined ? '' : `WAPI${this.questions.length}`;
    const requestDate = '2026-01-15T12:00:00.000Z';
    return { status: 200, json: { countryCode, vatNumber, requestDate, valid, requestIdentifier, name: '---' } };
  }
}
