import { isAppError } from '@panel/kit/errors';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { parseJsonObject } from '../../src/http/json-limits.js';

describe('untrusted JSON', () => {
  const refuses = (text: string) => {
    try {
      parseJsonObject(text);
    } catch (error) {
      return isAppError(error, 'BAD_REQUEST');
    }
    return false;
  };

  it('parses untrusted JSON as JSON.parse does', () => {
    for (const text of [
      '{}',
      ' { "a" : [ 1 , "x:y" , { "b" : null } ] , "c" : "\\"quoted\\":" } ',
      '{"a":"\\\\","b":"{\\"c\\":1}"}',
      '{"a":{"x":1},"b":{"x":1}}',
      '{"\\u0061":1,"b":"\\ud83d\\ude00"}',
    ]) {
      expect(parseJsonObject(text), text).to.deep.equal(JSON.parse(text));
    }
  });

  it('refuses JSON that is not an object', () => {
    for (const text of ['', ' ', '[]', '1', 'null', '"a"', '{', '{"a"}', '{"a":}', '{"a":1}{', '{"a', "{'a':1}"]) {
      expect(refuses(text), text).to.equal(true);
    }
  });

  it('refuses a duplicate key in any notation', () => {
    for (const text of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"x":[{"b":1,"b":2}]}', '{"a":{"y":1},"a":1}']) {
      expect(refuses(text), text).to.equal(true);
    }
  });

  it('refuses a prototype key in any notation', () => {
    for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
      expect(refuses(`{"a":[{"${key}":{"admin":true}}]}`), key).to.equal(true);
    }
    expect(parseJsonObject('{"a":"__proto__"}')).to.deep.equal({ a: '__proto__' });
  });

  it('refuses a lone surrogate', () => {
    for (const half of ['\\ud83d', '\\uDE00', '\\ude00\\ud83d', 'a\\ud83db', '\\ud83d\\ud83d\\ude00']) {
      expect(refuses(`{"a":[{"b":"${half}"}]}`), half).to.equal(true);
      expect(refuses(`{"a":{"${half}":1}}`), `the key ${half}`).to.equal(true);
    }
    expect(parseJsonObject('{"a":"\\ud83d\\ude00 \\\\ud83d"}')).to.deep.equal({ a: '😀 \\ud83d' });
  });

  it('accepts JSON of 20 levels and not of 21', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(refuses(nested(20))).to.equal(false);
    expect(refuses(nested(21))).to.equal(true);
  });

  it('accepts 1000 keys and not 1001', () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;
    expect(refuses(keys(1000))).to.equal(false);
    expect(refuses(keys(1001))).to.equal(true);
  });

  it('accepts keys of 1000 characters and not of 1001', () => {
    expect(refuses(`{"${'k'.repeat(1000)}":1}`)).to.equal(false);
    expect(refuses(`{"${'k'.repeat(1001)}":1}`)).to.equal(true);
    expect(refuses(`{"a":[{"${'k'.repeat(100_000)}":1}]}`)).to.equal(true);
  });

  it('parses untrusted JSON in linear time', () => {
    const mebibyte = 1024 * 1024;
    for (const text of [
      '['.repeat(mebibyte),
      `{"${'\\'.repeat(mebibyte)}`,
      `{"a":"${'\\\\'.repeat(mebibyte / 2)}"}`,
      `{"${'a'.repeat(mebibyte)}":1}`,
      `{"a":"${'\\"'.repeat(mebibyte / 2)}"}`,
    ]) {
      const begin = processorMs();
      refuses(text);
      expect(processorMs() - begin).to.be.lessThan(500);
    }
  });
});
