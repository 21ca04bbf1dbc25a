/** The smallest zip file: a jar without a single entry. */
export const emptyJar = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
