/*
 * element.h - the element types of matrices. program/ writes them into the forms of wgmma; table/ reads them.
 */
#ifndef CUDASIM_ELEMENT_H
#define CUDASIM_ELEMENT_H

enum element { E_F16, E_BF16, E_TF32, E_E4M3, E_E5M2, E_F64, E_S8, E_U8, E_S4, E_U4, E_B1, E_F32, E_S32 };

#endif
