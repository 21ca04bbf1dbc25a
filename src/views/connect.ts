import {figure} from '../profile/figures.js';
import type {ConnectReport} from '../readiness/connect-url.js';
import {visible} from '../system/visible.js';
import {table} from './table.js';

/** `connect` as text. */
export const connectText = (report: ConnectReport): string => {
  const {url, address, parts, totalMs, status, refused, certificate, fault, failedAt} = report;
  return [
    `${visible(url)}${address === null ? '' : ` at ${address}`}: ${fault === null ? `answered with ${status ?? 0}` : `${failedAt ?? ''}: ${visible(fault)}`}`,
    table(
      [
        {head: 'part', align: 'left'},
        {head: 'ms', align: 'right'},
      ],
      [...parts.map(({name, ms}) => [name, figure(ms, 3)]), ['total', figure(totalMs, 3)]],
    ),
    ...(refused === null
      ? []
      : [`Refused ${refused.tries} times before: nobody listened for ${figure(refused.ms, 1)} ms.`]),
    ...(certificate === null || fault !== null ? [] : [`Its certificate is not trusted (${certificate}).`]),
  ].join('\n\n');
};
