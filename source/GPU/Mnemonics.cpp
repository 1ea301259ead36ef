//===-- Mnemonics.cpp - one name for what GPUs call differently -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/InstructionFacts.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using llvm::StringRef;

namespace wavelane::gpu {
namespace {

struct Pair {
  const char *New, *Old;
};

const Pair Whole[] = {
    // Vector arithmetic.
    {"v_add_nc_u32", "v_add_u32"},
    {"v_sub_nc_u32", "v_sub_u32"},
    {"v_subrev_nc_u32", "v_subrev_u32"},
    {"v_add_nc_i32", "v_add_i32"},
    {"v_sub_nc_i32", "v_sub_i32"},
    {"v_add_nc_u16", "v_add_u16"},
    {"v_sub_nc_u16", "v_sub_u16"},
    {"v_add_nc_i16", "v_add_i16"},
    {"v_sub_nc_i16", "v_sub_i16"},
    {"v_add_co_ci_u32", "v_addc_co_u32"},
    {"v_sub_co_ci_u32", "v_subb_co_u32"},
    {"v_subrev_co_ci_u32", "v_subbrev_co_u32"},
    {"v_mad_co_u64_u32", "v_mad_u64_u32"},
    {"v_mad_co_i64_i32", "v_mad_i64_i32"},
    {"v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32"},
    {"v_cvt_floor_i32_f32", "v_cvt_flr_i32_f32"},
    {"v_cvt_nearest_i32_f32", "v_cvt_rpi_i32_f32"},
    {"v_clz_i32_u32", "v_ffbh_u32"},
    {"v_ctz_i32_b32", "v_ffbl_b32"},
    {"v_cls_i32", "v_ffbh_i32"},
    {"v_mul_dx9_zero_f32", "v_mul_legacy_f32"},
    {"v_fma_dx9_zero_f32", "v_fma_legacy_f32"},
    {"v_fmac_dx9_zero_f32", "v_fmac_legacy_f32"},
    // Scalar arithmetic.
    {"s_add_co_u32", "s_add_u32"},
    {"s_sub_co_u32", "s_sub_u32"},
    {"s_add_co_i32", "s_add_i32"},
    {"s_sub_co_i32", "s_sub_i32"},
    {"s_add_co_ci_u32", "s_addc_u32"},
    {"s_sub_co_ci_u32", "s_subb_u32"},
    {"s_addk_co_i32", "s_addk_i32"},
    {"s_and_not1_b32", "s_andn2_b32"},
    {"s_and_not1_b64", "s_andn2_b64"},
    {"s_or_not1_b32", "s_orn2_b32"},
    {"s_or_not1_b64", "s_orn2_b64"},
    {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"},
    {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"},
    {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
    {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"},
    {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"},
    {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
    {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"},
    {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"},
    {"s_and_not1_wrexec_b32", "s_andn2_wrexec_b32"},
    {"s_and_not1_wrexec_b64", "s_andn2_wrexec_b64"},
    {"s_and_not0_wrexec_b32", "s_andn1_wrexec_b32"},
    {"s_and_not0_wrexec_b64", "s_andn1_wrexec_b64"},
    {"s_ctz_i32_b32", "s_ff1_i32_b32"},
    {"s_ctz_i32_b64", "s_ff1_i32_b64"},
    {"s_clz_i32_u32", "s_flbit_i32_b32"},
    {"s_clz_i32_u64", "s_flbit_i32_b64"},
    {"s_cls_i32", "s_flbit_i32"},
    {"s_cls_i32_i64", "s_flbit_i32_i64"},
    // Branches.
    {"s_get_pc_i64", "s_getpc_b64"},
    {"s_set_pc_i64", "s_setpc_b64"},
    {"s_swap_pc_i64", "s_swappc_b64"},
    {"s_call_i64", "s_call_b64"},
    {"s_rfe_i64", "s_rfe_b64"},
};

/// After "flat_load_" and similar prefixes.
const Pair Loads[] = {
    {"b32", "dword"},         {"b64", "dwordx2"},
    {"b96", "dwordx3"},       {"b128", "dwordx4"},
    {"b256", "dwordx8"},      {"b512", "dwordx16"},
    {"u8", "ubyte"},          {"i8", "sbyte"},
    {"u16", "ushort"},        {"i16", "sshort"},
    {"d16_u8", "ubyte_d16"},  {"d16_hi_u8", "ubyte_d16_hi"},
    {"d16_i8", "sbyte_d16"},  {"d16_hi_i8", "sbyte_d16_hi"},
    {"d16_b16", "short_d16"}, {"d16_hi_b16", "short_d16_hi"},
};
const Pair Stores[] = {
    {"b32", "dword"},   {"b64", "dwordx2"},
    {"b96", "dwordx3"}, {"b128", "dwordx4"},
    {"b8", "byte"},     {"d16_hi_b8", "byte_d16_hi"},
    {"b16", "short"},   {"d16_hi_b16", "short_d16_hi"},
};
/// After "flat_atomic_".
const Pair Atomics[] = {
    {"swap_b32", "swap"},       {"swap_b64", "swap_x2"},
    {"cmpswap_b32", "cmpswap"}, {"cmpswap_b64", "cmpswap_x2"},
    {"add_u32", "add"},         {"add_u64", "add_x2"},
    {"sub_u32", "sub"},         {"sub_u64", "sub_x2"},
    {"min_i32", "smin"},        {"min_i64", "smin_x2"},
    {"min_u32", "umin"},        {"min_u64", "umin_x2"},
    {"max_i32", "smax"},        {"max_i64", "smax_x2"},
    {"max_u32", "umax"},        {"max_u64", "umax_x2"},
    {"and_b32", "and"},         {"and_b64", "and_x2"},
    {"or_b32", "or"},           {"or_b64", "or_x2"},
    {"xor_b32", "xor"},         {"xor_b64", "xor_x2"},
    {"inc_u32", "inc"},         {"inc_u64", "inc_x2"},
    {"dec_u32", "dec"},         {"dec_u64", "dec_x2"},
    {"fmin", "min_f32"},        {"fmax", "max_f32"},
    {"fmin_x2", "min_f64"},     {"fmax_x2", "max_f64"},
    {"min_num_f32", "min_f32"}, {"max_num_f32", "max_f32"},
};
/// After "ds_"; the first matching prefix counts.
const Pair Lds[] = {
    {"load_2addr_stride64_", "read2st64_"},
    {"load_2addr_", "read2_"},
    {"load_", "read_"},
    {"store_2addr_stride64_", "write2st64_"},
    {"store_2addr_", "write2_"},
    {"storexchg_rtn_", "wrxchg_rtn_"},
    {"store_", "write_"},
    {"min_num_", "min_"},
    {"max_num_", "max_"},
    {"min_rtn_num_", "min_rtn_"},
    {"max_rtn_num_", "max_rtn_"},
};

template <size_t N> StringRef replace(const Pair (&Table)[N], StringRef Name) {
  for (const Pair &P : Table)
    if (Name == P.New)
      return P.Old;
  return Name;
}

} // namespace

std::string baseMnemonic(StringRef N) {
  for (const char *Suffix : {"_dpp", "_sdwa", "_e32", "_e64"})
    N.consume_back(Suffix);
  static const llvm::StringMap<const char *> Renamed = [] {
    llvm::StringMap<const char *> Map;
    for (const Pair &P : Whole)
      Map[P.New] = P.Old;
    return Map;
  }();
  if (auto It = Renamed.find(N); It != Renamed.end())
    return It->second;
  if (N.starts_with("ds_")) {
    const StringRef Rest = N.drop_front(3);
    for (const Pair &P : Lds)
      if (Rest.starts_with(P.New))
        return (llvm::Twine("ds_") + P.Old +
                Rest.drop_front(StringRef(P.New).size()))
            .str();
    return N.str();
  }
  for (const char *Family :
       {"flat_", "global_", "scratch_", "buffer_", "s_", "s_buffer_"}) {
    StringRef Rest = N;
    if (!Rest.consume_front(Family))
      continue;
    const auto With = [&](const char *What, StringRef Old) {
      return (llvm::Twine(Family) + What + Old).str();
    };
    if (Rest.consume_front("load_"))
      return With("load_", replace(Loads, Rest));
    if (Rest.consume_front("store_"))
      return With("store_", replace(Stores, Rest));
    if (Rest.consume_front("atomic_"))
      return With("atomic_", replace(Atomics, Rest));
  }
  return N.str();
}

} // namespace wavelane::gpu
