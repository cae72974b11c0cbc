/** The blocks of a readable text: the stretches that can be cited by themselves. */
export { blocksOf } from './blocks/blocks-of';
