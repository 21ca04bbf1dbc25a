/** Anything JSON can hold: what a lookup may return and a plan may carry. */
export type Json = null | boolean | number | string | readonly Json[] | {readonly [name: string]: Json};
