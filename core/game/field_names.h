/* field_names.h - FNV-1a hashes of the bin classes (RIFT_C_) and fields (RIFT_F_) that skins, materials and
 * graphs use.
 *
 * Each line names its own hash behind it; a test recomputes every one. Classes and fields without a known
 * name have no place here.
 * Source  formats/animgraph-names.tsv; mShowSubmesh and mHideSubmesh: the single forms of the two lists that
 *         other readers met (bug log B049), in none of our files. Upgrades and conditions: the names of public bin
 *         dumps (Skarner, Hwei, Rell, Zac), which have the hashes met in Yasuo's (GearSkinUpgrade) and Aatrox's bins
 *         (PersistentEffectConditions). */
#ifndef RIFT_GAME_FIELD_NAMES_H
#define RIFT_GAME_FIELD_NAMES_H

/* Classes */
#define RIFT_C_SKIN_CHARACTER_DATA_PROPERTIES 0x9b67e9f6u       /* SkinCharacterDataProperties */
#define RIFT_C_CHARACTER_RECORD 0x23ea1915u                     /* CharacterRecord */
#define RIFT_C_STATIC_MATERIAL_DEF 0xff9d3409u                  /* StaticMaterialDef */
#define RIFT_C_ANIMATION_GRAPH_DATA 0xf5fb07c7u                 /* AnimationGraphData */
#define RIFT_C_ATOMIC_CLIP_DATA 0x5bd9a1e6u                     /* AtomicClipData */
#define RIFT_C_PARAMETRIC_CLIP_DATA 0xf2b2e7c1u                 /* ParametricClipData */
#define RIFT_C_SELECTOR_CLIP_DATA 0x49f4b8cau                   /* SelectorClipData */
#define RIFT_C_SEQUENCER_CLIP_DATA 0x8d30a7c0u                  /* SequencerClipData */
#define RIFT_C_PARALLEL_CLIP_DATA 0x2160b3ecu                   /* ParallelClipData */
#define RIFT_C_CONDITION_BOOL_CLIP_DATA 0x1560dcccu             /* ConditionBoolClipData */
#define RIFT_C_CONDITION_FLOAT_CLIP_DATA 0x8ebbe9e2u            /* ConditionFloatClipData */
#define RIFT_C_EVENT_CONTROLLED_SELECTOR_CLIP_DATA 0xbbb4c96au  /* EventControlledSelectorClipData */
#define RIFT_C_SWITCH_INT_CLIP_DATA 0xbc54258cu                 /* SwitchIntClipData */
#define RIFT_C_STATE_ANIM_CLIP_DATA 0x8e14e9d9u                 /* StateAnimClipData */
#define RIFT_C_IS_MOVING_PARAMETRIC_UPDATER 0x6c816d62u         /* IsMovingParametricUpdater */
#define RIFT_C_JOINT_SNAP_EVENT_DATA 0xb5c1b6adu                /* JointSnapEventData */
#define RIFT_C_SUBMESH_VISIBILITY_EVENT_DATA 0xbcf56e70u        /* SubmeshVisibilityEventData */
#define RIFT_C_PARTICLE_EVENT_DATA 0x0542d41du                  /* ParticleEventData */
#define RIFT_C_SOUND_EVENT_DATA 0x9c566034u                     /* SoundEventData */
#define RIFT_C_CONFORM_TO_PATH_EVENT_DATA 0x82377a1du           /* ConformToPathEventData */
#define RIFT_C_FADE_EVENT_DATA 0x4c547d91u                      /* FadeEventData */
#define RIFT_C_FACE_TARGET_EVENT_DATA 0xd7a6b107u               /* FaceTargetEventData */
#define RIFT_C_IDLE_PARTICLES_VISIBILITY_EVENT_DATA 0x77c7801eu /* IdleParticlesVisibilityEventData */
#define RIFT_C_STOP_ANIMATION_EVENT_DATA 0xf4d0f73fu            /* StopAnimationEventData */
#define RIFT_C_ENABLE_LOOK_AT_EVENT_DATA 0x07861898u            /* EnableLookAtEventData */
#define RIFT_C_LOCK_ROOT_ORIENTATION_EVENT_DATA 0xc1133f98u     /* LockRootOrientationEventData */
#define RIFT_C_JOINT_ORIENTATION_EVENT_DATA 0x71215bc9u         /* JointOrientationEventData */
#define RIFT_C_SPRING_PHYSICS_EVENT_DATA 0xe5bbe067u            /* SpringPhysicsEventData */
#define RIFT_C_STATE_LOGIC_EVENT_DATA 0xc4a00944u               /* StateLogicEventData */
#define RIFT_C_SYNCED_ANIMATION_EVENT_DATA 0x7fa97211u          /* SyncedAnimationEventData */
#define RIFT_C_GEAR_SKIN_UPGRADE 0x27dd6361u                    /* GearSkinUpgrade */
#define RIFT_C_NOT_DRIVER 0xd5a6ab25u                           /* NotMaterialDriver */
#define RIFT_C_ONE_TRUE_DRIVER 0xc8898924u                      /* OneTrueMaterialDriver */
#define RIFT_C_ALL_TRUE_DRIVER 0x9233f657u                      /* AllTrueMaterialDriver */
#define RIFT_C_HAS_GEAR_DRIVER 0x721eafdeu                      /* HasGearDynamicMaterialBoolDriver */
#define RIFT_C_HAS_BUFF_DRIVER 0x8afb0060u                      /* HasBuffDynamicMaterialBoolDriver */
#define RIFT_C_CLIP_PLAYING_DRIVER 0x087188b5u /* IsAnimationPlayingDynamicMaterialBoolDriver */

/* Champion records */
#define RIFT_F_M_CHARACTER_NAME 0xff675dd4u    /* mCharacterName */
#define RIFT_F_CHARACTER_TOOL_DATA 0xec3d693au /* characterToolData */
#define RIFT_F_CHAMPION_ID 0x047f7e3bu         /* championId */

/* Skins and their meshes */
#define RIFT_F_CHAMPION_SKIN_NAME 0x2d78c328u        /* championSkinName */
#define RIFT_F_SKIN_PARENT 0x514b1c48u               /* skinParent */
#define RIFT_F_SKIN_MESH_PROPERTIES 0x45ff5904u      /* skinMeshProperties */
#define RIFT_F_SKIN_ANIMATION_PROPERTIES 0x426d89a3u /* skinAnimationProperties */
#define RIFT_F_ANIMATION_GRAPH_DATA 0xf5fb07c7u      /* animationGraphData */
#define RIFT_F_SIMPLE_SKIN 0xd6a00df6u               /* simpleSkin */
#define RIFT_F_SKELETON 0xb14c976eu                  /* skeleton */
#define RIFT_F_TEXTURE 0x3c6468f4u                   /* texture */
#define RIFT_F_EMISSIVE_TEXTURE 0x9a934591u          /* emissiveTexture */
#define RIFT_F_MATERIAL 0xd2e4d060u                  /* material */
#define RIFT_F_MATERIAL_OVERRIDE 0x24725910u         /* materialOverride */
#define RIFT_F_SUBMESH 0xaad7612cu                   /* submesh */
#define RIFT_F_INITIAL_SUBMESH_TO_HIDE 0x80b7f78fu   /* initialSubmeshToHide */
#define RIFT_F_SUBMESH_RENDER_ORDER 0x2d7b4ab4u      /* submeshRenderOrder */
#define RIFT_F_SKIN_SCALE 0xa1f805dau                /* skinScale */
#define RIFT_F_SOCKET_DEFINITIONS 0x04a40f92u        /* SocketDefinitions */
#define RIFT_F_RIG_POSE_MODIFIER_DATA 0xe9c98281u    /* rigPoseModifierData */

/* Forms: upgrades and conditions */
#define RIFT_F_SKIN_UPGRADE_DATA 0x68f2b69cu             /* skinUpgradeData */
#define RIFT_F_M_GEAR_SKIN_UPGRADES 0xcb522723u          /* mGearSkinUpgrades */
#define RIFT_F_M_GEAR_DATA 0x639b0013u                   /* mGearData */
#define RIFT_F_M_CHARACTER_SUBMESHES_TO_SHOW 0x21b6167eu /* mCharacterSubmeshesToShow */
#define RIFT_F_M_CHARACTER_SUBMESHES_TO_HIDE 0xb6c044fbu /* mCharacterSubmeshesToHide */
#define RIFT_F_M_EQUIP_ANIMATION 0x938f408au             /* mEquipAnimation */
#define RIFT_F_PERSISTENT_EFFECT_CONDITIONS 0x87b1d303u  /* PersistentEffectConditions */
#define RIFT_F_OWNER_CONDITION 0x43c8c7b1u               /* OwnerCondition */
#define RIFT_F_SUBMESHES_TO_SHOW 0xa826e328u             /* SubmeshesToShow */
#define RIFT_F_SUBMESHES_TO_HIDE 0xfd949819u             /* SubmeshesToHide */
#define RIFT_F_M_GEAR_INDEX 0xfcbce201u                  /* mGearIndex */
#define RIFT_F_M_DRIVER 0x85045366u                      /* mDriver */
#define RIFT_F_M_DRIVERS 0x7aceca0fu                     /* mDrivers */
#define RIFT_F_M_BOOL_DRIVER 0xecb7d556u                 /* mBoolDriver */
#define RIFT_F_SPELL 0xa96fc6c9u                         /* Spell */
#define RIFT_F_M_SCRIPT_NAME 0xc8e37ef0u                 /* mScriptName */
#define RIFT_F_M_ANIMATION_NAMES 0x30b2f4b2u             /* mAnimationNames */

/* Materials */
#define RIFT_F_NAME 0x8d39bde6u                   /* name */
#define RIFT_F_VALUE 0x425ed3cau                  /* value */
#define RIFT_F_ON 0x61342fd0u                     /* on */
#define RIFT_F_SAMPLER_VALUES 0x0a6f0eb5u         /* samplerValues */
#define RIFT_F_PARAM_VALUES 0xd0ab46b8u           /* paramValues */
#define RIFT_F_SWITCHES 0xdd7ddb9du               /* switches */
#define RIFT_F_TECHNIQUES 0x844f384eu             /* techniques */
#define RIFT_F_PASSES 0x623cd25cu                 /* passes */
#define RIFT_F_SAMPLER_NAME 0x02e7fb4cu           /* samplerName */
#define RIFT_F_TEXTURE_NAME 0xb311d4efu           /* textureName */
#define RIFT_F_TEXTURE_PATH 0xf0a363e3u           /* texturePath */
#define RIFT_F_ADDRESS_U 0x111ec6d2u              /* addressU */
#define RIFT_F_ADDRESS_V 0x101ec53fu              /* addressV */
#define RIFT_F_BLEND_ENABLE 0x23b75597u           /* blendEnable */
#define RIFT_F_SRC_COLOR_BLEND_FACTOR 0x22c0c7d0u /* srcColorBlendFactor */
#define RIFT_F_DST_COLOR_BLEND_FACTOR 0xbe0abbf5u /* dstColorBlendFactor */
#define RIFT_F_CULL_ENABLE 0x4b0f55ceu            /* cullEnable */

/* Graphs */
#define RIFT_F_M_CLIP_DATA_MAP 0x45e122f8u  /* mClipDataMap */
#define RIFT_F_M_MASK_DATA_MAP 0xde04746eu  /* mMaskDataMap */
#define RIFT_F_M_TRACK_DATA_MAP 0x38ea85a7u /* mTrackDataMap */
#define RIFT_F_M_WEIGHT_LIST 0xa3c80380u    /* mWeightList */
#define RIFT_F_M_PRIORITY 0x0f717330u       /* mPriority */
#define RIFT_F_M_BLEND_MODE 0x9ae6020cu     /* mBlendMode */
#define RIFT_F_M_BLEND_WEIGHT 0xf4018e7fu   /* mBlendWeight */

/* Clips */
#define RIFT_F_M_FLAGS 0x8d80922bu                          /* mFlags */
#define RIFT_F_M_MASK_DATA_NAME 0x0359739bu                 /* mMaskDataName */
#define RIFT_F_M_TRACK_DATA_NAME 0xd39243c4u                /* mTrackDataName */
#define RIFT_F_M_SYNC_GROUP_DATA_NAME 0xa09d0561u           /* mSyncGroupDataName */
#define RIFT_F_M_EVENT_DATA_MAP 0xf598463eu                 /* mEventDataMap */
#define RIFT_F_M_ANIMATION_RESOURCE_DATA 0xb49f754eu        /* mAnimationResourceData */
#define RIFT_F_M_ANIMATION_FILE_PATH 0x0329f1d7u            /* mAnimationFilePath */
#define RIFT_F_M_TICK_DURATION 0x193f611du                  /* mTickDuration */
#define RIFT_F_START_FRAME 0x76f8ad24u                      /* startFrame */
#define RIFT_F_END_FRAME 0xbd8e2d9bu                        /* EndFrame */
#define RIFT_F_M_PARAMETRIC_PAIR_DATA_LIST 0x2ec3ba66u      /* mParametricPairDataList */
#define RIFT_F_M_SELECTOR_PAIR_DATA_LIST 0x512c9525u        /* mSelectorPairDataList */
#define RIFT_F_M_CLIP_NAME_LIST 0x078cafd9u                 /* mClipNameList */
#define RIFT_F_M_CONDITION_FLOAT_PAIR_DATA_LIST 0x2329eec5u /* mConditionFloatPairDataList */
#define RIFT_F_SELECTOR_PAIR_DATA_LIST 0xd188b400u          /* SelectorPairDataList */
#define RIFT_F_SWITCH_INT_PAIR_DATA_LIST 0x778d6deeu        /* SwitchIntPairDataList */
#define RIFT_F_M_CLIP_NAME 0xca2b847du                      /* mClipName */
#define RIFT_F_CLIP_NAME 0x68c14f60u                        /* ClipName */
#define RIFT_F_DEFAULT_CLIP_NAME 0x9a7f92cbu                /* DefaultClipName */
#define RIFT_F_CHILD_CLIP_NAME 0x8e5e6618u                  /* ChildClipName */
#define RIFT_F_M_TRUE_CONDITION_CLIP_NAME 0x4d7a54c0u       /* mTrueConditionClipName */
#define RIFT_F_M_FALSE_CONDITION_CLIP_NAME 0x24af5ac1u      /* mFalseConditionClipName */
#define RIFT_F_M_VALUE 0x24f2ec89u                          /* mValue */
#define RIFT_F_M_PROBABILITY 0x63cb984fu                    /* mProbability */
#define RIFT_F_UPDATER 0x16860572u                          /* Updater */

/* Events */
#define RIFT_F_M_NAME 0x19efbfdbu                            /* mName */
#define RIFT_F_M_START_FRAME 0x250cfbe1u                     /* mStartFrame */
#define RIFT_F_M_END_FRAME 0xb725173eu                       /* mEndFrame */
#define RIFT_F_M_IS_SELF_ONLY 0x488bfb2cu                    /* mIsSelfOnly */
#define RIFT_F_M_FIRE_IF_ANIMATION_ENDS_EARLY 0xa18eb198u    /* mFireIfAnimationEndsEarly */
#define RIFT_F_M_JOINT_NAME_TO_OVERRIDE 0xac70ab62u          /* mJointNameToOverride */
#define RIFT_F_M_JOINT_NAME_TO_SNAP_TO 0xf6e6d893u           /* mJointNameToSnapTo */
#define RIFT_F_OFFSET 0x14c8d3cau                            /* offset */
#define RIFT_F_M_SHOW_SUBMESH_LIST 0x6d4d42d0u               /* mShowSubmeshList */
#define RIFT_F_M_HIDE_SUBMESH_LIST 0xbb41a45bu               /* mHideSubmeshList */
#define RIFT_F_M_SHOW_SUBMESH 0xdf6bfec8u                    /* mShowSubmesh */
#define RIFT_F_M_HIDE_SUBMESH 0xcf0be2d3u                    /* mHideSubmesh */
#define RIFT_F_APPLY_ONLY_TO_AVATAR_MESHES 0x42ad0910u       /* ApplyOnlyToAvatarMeshes */
#define RIFT_F_M_EFFECT_KEY 0xf6386280u                      /* mEffectKey */
#define RIFT_F_M_EFFECT_NAME 0x5a3dd1c2u                     /* mEffectName */
#define RIFT_F_M_ENEMY_EFFECT_KEY 0x98df0fb4u                /* mEnemyEffectKey */
#define RIFT_F_M_PARTICLE_EVENT_DATA_PAIR_LIST 0x60645d6au   /* mParticleEventDataPairList */
#define RIFT_F_M_BONE_NAME 0xeb880965u                       /* mBoneName */
#define RIFT_F_M_TARGET_BONE_NAME 0x95bb67b8u                /* mTargetBoneName */
#define RIFT_F_M_IS_LOOP 0xd91e32eeu                         /* mIsLoop */
#define RIFT_F_M_IS_KILL_EVENT 0x72a03ff8u                   /* mIsKillEvent */
#define RIFT_F_M_IS_DETACHABLE 0x41f9b163u                   /* mIsDetachable */
#define RIFT_F_M_SCALE_PLAY_SPEED_WITH_ANIMATION 0x8c16993fu /* mScalePlaySpeedWithAnimation */
#define RIFT_F_SCALE 0x82971c71u                             /* scale */
#define RIFT_F_SKIP_IF_PAST_END_FRAME 0xa3826203u            /* SkipIfPastEndFrame */
#define RIFT_F_M_SOUND_NAME 0x9d477e74u                      /* mSoundName */
#define RIFT_F_M_SKIP_IF_PAST_END_FRAME 0x067227d6u          /* mSkipIfPastEndFrame */
#define RIFT_F_CONDITION_CLIP_TRANSITION_TYPE 0xea35be63u    /* ConditionClipTransitionType */
#define RIFT_F_M_BLEND_IN_TIME 0xdf2f42a9u                   /* mBlendInTime */
#define RIFT_F_M_BLEND_OUT_TIME 0xa8c578b4u                  /* mBlendOutTime */
#define RIFT_F_M_TARGET_ALPHA 0x2687db27u                    /* mTargetAlpha */
#define RIFT_F_M_TIME_TO_FADE 0x60484166u                    /* mTimeToFade */
#define RIFT_F_FACE_TARGET 0x945b0ec5u                       /* FaceTarget */
#define RIFT_F_YROTATION_DEGREES 0xb9cfc1abu                 /* YRotationDegrees */
#define RIFT_F_BLEND_IN_TIME 0x999ec9a6u                     /* BlendInTime */
#define RIFT_F_BLEND_OUT_TIME 0x8d1a7a7du                    /* BlendOutTime */
#define RIFT_F_M_SHOW 0xcde41191u                            /* mShow */
#define RIFT_F_M_STOP_ANIMATION_NAME 0xcda0540du             /* mStopAnimationName */
#define RIFT_F_M_ENABLE_LOOK_AT 0x9f40a409u                  /* mEnableLookAt */
#define RIFT_F_M_LOCK_CURRENT_VALUES 0x0c7d1fe6u             /* mLockCurrentValues */
#define RIFT_F_JOINT_NAME 0x86b1a034u                        /* JointName */
#define RIFT_F_BLEND_DATA 0xcc2ddcc0u                        /* BlendData */
#define RIFT_F_SPRING_TO_AFFECT 0x66f06798u                  /* SpringToAffect */
#define RIFT_F_STATE_LOGIC_EVENT_SIGNAL_ID 0xfce96f95u       /* StateLogicEventSignalId */
#define RIFT_F_M_LERP_TIME 0x6bdbac58u                       /* mLerpTime */

#endif
